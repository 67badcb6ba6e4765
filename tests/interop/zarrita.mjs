// zarrita.mjs DIR - answers requests, one line of JSON each, with zarrita from DIR/node_modules
//
// Requests name an operation and the directory of an array; elements travel in base64, little-endian
// and in C order.  An answer with "error" says what zarrita said.

import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

// Packages are found where they were installed, which is not beside this file
const folder = (name) => join(resolve(process.argv[2]), "node_modules", name);
const manifest = (name) => JSON.parse(readFileSync(join(folder(name), "package.json")));
const load = (name, entry) => import(pathToFileURL(join(folder(name), manifest(name).exports[entry].import)));
const zarr = await load("zarrita", ".");
const { default: FileSystemStore } = await load("@zarrita/storage", "./fs");

const CONSTRUCTORS = {
	bool: Uint8Array, int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array,
	uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, uint64: BigUint64Array,
	float16: globalThis.Float16Array, float32: Float32Array, float64: Float64Array,
};

const strides = (shape) => shape.map((_, i) => shape.slice(i + 1).reduce((a, b) => a * b, 1));

function typed(dtype, base64) {
	const bytes = Uint8Array.from(Buffer.from(base64, "base64"));
	if (dtype === "bool") return new zarr.BoolArray(bytes.buffer);
	return new CONSTRUCTORS[dtype](bytes.buffer);
}

const element = (data, i) => (data instanceof zarr.BoolArray ? data.get(i) : data[i]);

// Elements in C order, whatever order zarrita chose
function gather({ data, shape, stride }, dtype) {
	const size = shape.reduce((a, b) => a * b, 1);
	const out = new CONSTRUCTORS[dtype](size);
	const index = shape.map(() => 0);
	for (let n = 0; n < size; n++) {
		out[n] = element(data, index.reduce((sum, k, d) => sum + k * stride[d], 0));
		for (let d = shape.length - 1; d >= 0 && ++index[d] === shape[d]; d--) index[d] = 0;
	}
	return encode(out);
}

function texts({ data, shape, stride }) {
	const out = [];
	const index = shape.map(() => 0);
	for (let n = shape.reduce((a, b) => a * b, 1); n > 0; n--) {
		out.push(data[index.reduce((sum, k, d) => sum + k * stride[d], 0)]);
		for (let d = shape.length - 1; d >= 0 && ++index[d] === shape[d]; d--) index[d] = 0;
	}
	return out;
}

const encode = (a) => Buffer.from(a.buffer, a.byteOffset, a.byteLength).toString("base64");

function chunkOf(dtype, shape, base64) {
	const data = typed(dtype, base64);
	return shape.length ? { data, shape, stride: strides(shape) } : element(data, 0);
}

const open = (path) => zarr.open.v3(new FileSystemStore(path), { kind: "array" });

// zarrita's own create() knows the default key encoding only; other documents are written as they are
async function create(path, doc) {
	if (doc.chunk_key_encoding.name !== "default") {
		await mkdir(path, { recursive: true });
		await writeFile(join(path, "zarr.json"), JSON.stringify(doc));
		return open(path);
	}
	return zarr.create(new FileSystemStore(path), {
		shape: doc.shape,
		chunkShape: doc.chunk_grid.configuration.chunk_shape,
		chunkSeparator: doc.chunk_key_encoding.configuration.separator,
		dtype: doc.data_type,
		codecs: doc.codecs,
		fillValue: doc.fill_value,
		dimensionNames: doc.dimension_names,
		attributes: doc.attributes,
	});
}

const operations = {
	version() {
		return { version: manifest("zarrita").version };
	},
	async write({ path, document, data }) {
		const array = await create(path, document);
		if (data !== null) await zarr.set(array, null, chunkOf(document.data_type, document.shape, data));
		return {};
	},
	async write_default({ path, document: { shape, data_type, chunk_shape }, data }) {
		const array = await zarr.create(new FileSystemStore(path), { shape, chunkShape: chunk_shape, dtype: data_type });
		await zarr.set(array, null, chunkOf(data_type, shape, data));
		return {};
	},
	async read({ path }) {
		const array = await open(path);
		const value = await zarr.get(array, null);
		if (array.dtype === "string") return { texts: texts(value) };
		const chunk = array.shape.length ? value : chunk0(array.dtype, value);
		return {
			dtype: array.dtype,
			shape: array.shape,
			data: gather(chunk, array.dtype),
			fill: encode(CONSTRUCTORS[array.dtype].of(array.fillValue)),
			attributes: array.attrs ?? {},
			names: array.dimensionNames ?? null,
		};
	},
	async put({ path, box, shape, data, texts }) {
		const array = await open(path);
		const chunk = texts ? { data: texts, shape, stride: strides(shape) } : chunkOf(array.dtype, shape, data);
		await zarr.set(array, box.map(([a, b]) => zarr.slice(a, b)), chunk);
		return {};
	},
	// From a server; texts are a list, in C order
	async read_url({ path, node }) {
		const root = zarr.root(new zarr.FetchStore(path));
		const array = await zarr.open.v3(node ? root.resolve(node) : root, { kind: "array" });
		const value = await zarr.get(array, null);
		const scalar = array.shape.length === 0;
		if (array.dtype === "string")
			return { shape: array.shape, texts: scalar ? [value] : texts(value) };
		const chunk = scalar ? chunk0(array.dtype, value) : value;
		return { dtype: array.dtype, shape: array.shape, data: gather(chunk, array.dtype) };
	},
	async tree({ path }) {
		const store = await zarr.withConsolidatedMetadata(new FileSystemStore(path), { format: "v3" });
		return { contents: store.contents() };
	},
};

const chunk0 = (dtype, value) => ({ data: CONSTRUCTORS[dtype].of(value), shape: [], stride: [] });

for await (const line of createInterface({ input: process.stdin })) {
	let answer;
	try {
		const request = JSON.parse(line);
		answer = await operations[request.op](request);
	} catch (e) {
		answer = { error: `${e.name}: ${e.message}${e.cause ? ` (${e.cause.message})` : ""}` };
	}
	process.stdout.write(`${JSON.stringify(answer)}\n`);
}
