#!/usr/bin/env python3
"""schema_peer.py make DIR SEED | compare DIR VERDICTS - random schemas, checked by zinc and by Python's jsonschema

`make` writes DIR/schemas/<n>.json and DIR/node.zarr, a group that declares each as a convention with its own
property.  `compare` reads the output of `zinc conventions --json` for that group; every result must be that of
jsonschema.  Exit status 77: jsonschema is not installed.
"""
import json
import pathlib
import random
import sys

try:
    from jsonschema import Draft7Validator, Draft202012Validator
except ImportError:
    sys.exit(77)

CASES = 700
NAMES = ["a", "b", "c", "ab"]
DRAFTS = {7: "http://json-schema.org/draft-07/schema#", 2020: "https://json-schema.org/draft/2020-12/schema"}
URL = "https://example.com/{}.json"

# Keywords with a value that can be drawn from a list.
PLAIN = {
    "type": ["integer", "number", "string", "object", "array", "boolean", "null", ["string", "null"], ["object", "integer"]],
    "minimum": [0, 1, 2.5, -1], "maximum": [0, 1, 2.5, -1], "exclusiveMinimum": [0, 1], "multipleOf": [1, 2, 0.5],
    "minLength": [0, 1, 2], "maxLength": [0, 1, 2], "minItems": [0, 1, 2], "maxItems": [0, 1, 2], "uniqueItems": [True],
    "minProperties": [0, 1, 2], "maxProperties": [0, 1, 2], "pattern": ["^a", "b$", "[0-9]", "^.b"],
    "required": [[n] for n in NAMES],
}
SCHEMA = ["additionalProperties", "propertyNames", "contains", "not", "items"]
SCHEMAS = ["allOf", "anyOf", "oneOf"]
NEW = ["unevaluatedProperties", "unevaluatedItems"]


def instance(draw, depth):
    """Any JSON value"""
    kind = draw.randrange(6 if depth else 3)
    if kind == 0:
        return draw.choice([0, 1, 2, 3, -1, 10, 1.0, 2.5, 1e2])
    if kind == 1:
        return draw.choice(["", "a", "ab", "abc", "\u00e9", "b1"])
    if kind == 2:
        return draw.choice([True, False, None])
    if kind == 3:
        return [instance(draw, depth - 1) for _ in range(draw.randrange(4))]
    return {draw.choice(NAMES): instance(draw, depth - 1) for _ in range(draw.randrange(4))}


def add_inner(draw, schema, depth, draft):
    """A keyword that holds schemas"""
    def inner():
        return make_schema(draw, depth - 1, draft)

    kind = draw.choice(SCHEMA + SCHEMAS + ["properties", "patternProperties", "if", "depend", "list"] + (NEW if draft == 2020 else []))
    if kind in SCHEMA + NEW:
        schema[kind] = inner()
    elif kind in SCHEMAS:
        schema[kind] = [inner() for _ in range(draw.randrange(1, 4))]
    elif kind == "properties":
        schema[kind] = {draw.choice(NAMES): inner() for _ in range(2)}
    elif kind == "patternProperties":
        schema[kind] = {draw.choice(["^a", "b"]): inner()}
    elif kind == "if":
        schema |= {"if": inner(), "then": inner(), "else": inner()}
    elif kind == "depend":
        schema["dependencies" if draft == 7 else "dependentSchemas"] = {draw.choice(NAMES): inner()}
    elif draft == 7:
        schema |= {"items": [inner(), inner()], "additionalItems": inner()}
    else:
        schema["prefixItems"] = [inner(), inner()]


def make_schema(draw, depth, draft):
    if draw.random() < 0.07:
        return draw.random() < 0.7
    schema = {}
    for _ in range(draw.randrange(1, 4)):
        kind = draw.randrange(8 if depth else 5)
        if kind < 3:
            word = draw.choice(list(PLAIN))
            schema[word] = draw.choice(PLAIN[word])
        elif kind == 3:
            schema["enum"] = [instance(draw, 1), instance(draw, 1)]
        elif kind == 4:
            schema["const"] = instance(draw, 1)
        else:
            add_inner(draw, schema, depth, draft)
    return schema


def make(where, seed):
    draw = random.Random(seed)
    attributes = {"zarr_conventions": []}
    (where / "schemas").mkdir(parents=True)
    for n in range(CASES):
        draft = draw.choice(list(DRAFTS))
        schema = {"$schema": DRAFTS[draft], "$id": URL.format(n), "properties": {f"x:{n}": make_schema(draw, 3, draft)}}
        (where / f"schemas/{n}.json").write_text(json.dumps(schema))
        attributes["zarr_conventions"].append({"schema_url": URL.format(n), "name": f"x:{n}"})
        attributes[f"x:{n}"] = instance(draw, 3)
    (where / "node.zarr").mkdir()
    document = {"zarr_format": 3, "node_type": "group", "attributes": attributes}
    (where / "node.zarr/zarr.json").write_text(json.dumps(document))


def compare(where, verdicts):
    attributes = json.loads((where / "node.zarr/zarr.json").read_text())["attributes"]
    said = {c["id"]: c["valid"] for c in json.loads(verdicts.read_text())["nodes"][0]["conventions"]}
    wrong = valid = 0
    for n in range(CASES):
        schema = json.loads((where / f"schemas/{n}.json").read_text())
        judge = Draft7Validator if schema["$schema"] == DRAFTS[7] else Draft202012Validator
        try:
            other = judge(schema).is_valid(attributes)
        except TypeError:  # jsonschema 4.10 fails in its own message about unevaluatedItems
            continue
        valid += other
        if said[URL.format(n)] is not other:
            wrong += 1
            print(f"{n}: jsonschema says {other}, zinc {said[URL.format(n)]}: {schema} {attributes[f'x:{n}']}")
    print(f"{CASES} schemas, {valid} of the values valid, {wrong} judged differently")
    return 1 if wrong else 0


if __name__ == "__main__":
    place = pathlib.Path(sys.argv[2])
    sys.exit(make(place, sys.argv[3]) if sys.argv[1] == "make" else compare(place, pathlib.Path(sys.argv[3])))
