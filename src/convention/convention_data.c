/*
 * convention_data.c - the built-in conventions that are data alone: identifiers and a schema, no rule beyond it
 *
 * Schemas describe the attributes and are written with ' for quotes.  A convention that needs a `check` has a file of its own.
 */
#include "convention/convention.h"

const zinc_convention_row zinc_convention_data[] = {
    /* Climate and forecast metadata, under unprefixed names.  Only types are checked, not the table of standard names. */
    {
	.name = "CF",
	.names = ZINC_URLS("Conventions", "title", "institution", "source", "history", "references", "comment",
			   "standard_name", "long_name", "units", "axis", "positive", "calendar", "coordinates",
			   "bounds", "cell_methods", "cell_measures", "grid_mapping", "ancillary_variables",
			   "_FillValue", "valid_min", "valid_max", "valid_range", "scale_factor", "add_offset",
			   "flag_values", "flag_masks", "flag_meanings", "grid_mapping_name", "crs_wkt"),
	.uuid = "77c308c7-4db2-4774-8b2d-aa37e9997db6",
	.description = "Climate and Forecast conventions for self-describing geospatial data",
	.groups = true,
	.arrays = true,
	.schemas = ZINC_URLS(ZINC_RAW "zarr-conventions/CF/refs/tags/v1/schema.json"),
	.specs = ZINC_URLS(ZINC_GITHUB "zarr-conventions/CF/blob/v1/README.md",
			   "https://cfconventions.org/Data/cf-conventions/cf-conventions-1.11/cf-conventions.html"),
	.schema =
	    "{'type': 'object', '$defs': {'text': {'type': 'string'}, 'number': {'type': 'number'},"
	    "  'integers': {'type': 'array', 'items': {'type': 'integer'}}},"
	    " 'properties': {'Conventions': {'$ref': '#/$defs/text'}, 'title': {'$ref': '#/$defs/text'},"
	    "  'institution': {'$ref': '#/$defs/text'}, 'source': {'$ref': '#/$defs/text'}, 'history': {'$ref': "
	    "'#/$defs/text'},"
	    "  'references': {'$ref': '#/$defs/text'}, 'comment': {'$ref': '#/$defs/text'},"
	    "  'standard_name': {'$ref': '#/$defs/text'}, 'long_name': {'$ref': '#/$defs/text'}, 'units': {'$ref': "
	    "'#/$defs/text'},"
	    "  'axis': {'enum': ['X', 'Y', 'Z', 'T']}, 'positive': {'enum': ['up', 'down', 'Up', 'Down', 'UP', "
	    "'DOWN']},"
	    "  'calendar': {'$ref': '#/$defs/text'}, 'coordinates': {'$ref': '#/$defs/text'}, 'bounds': {'$ref': "
	    "'#/$defs/text'},"
	    "  'cell_methods': {'$ref': '#/$defs/text'}, 'cell_measures': {'$ref': '#/$defs/text'},"
	    "  'grid_mapping': {'$ref': '#/$defs/text'}, 'ancillary_variables': {'$ref': '#/$defs/text'},"
	    "  'valid_min': {'$ref': '#/$defs/number'}, 'valid_max': {'$ref': '#/$defs/number'},"
	    "  'valid_range': {'type': 'array', 'minItems': 2, 'maxItems': 2, 'items': {'$ref': '#/$defs/number'}},"
	    "  'scale_factor': {'$ref': '#/$defs/number'}, 'add_offset': {'$ref': '#/$defs/number'},"
	    "  'flag_values': {'$ref': '#/$defs/integers'}, 'flag_masks': {'$ref': '#/$defs/integers'},"
	    "  'flag_meanings': {'$ref': '#/$defs/text'}, 'grid_mapping_name': {'$ref': '#/$defs/text'},"
	    "  'crs_wkt': {'$ref': '#/$defs/text'}}}",
    },
    /* Small pictures of a node. */
    {
	.name = "thumbnails",
	.prefix = "thumbnails",
	.uuid = "49326c01-1180-4743-b15f-f7157038a6ab",
	.description = "Thumbnail images of a node",
	.groups = true,
	.arrays = true,
	.schemas = ZINC_URLS(ZINC_RAW "zarr-conventions/thumbnails/refs/tags/v1/schema.json"),
	.specs = ZINC_URLS(ZINC_GITHUB "zarr-conventions/thumbnails/blob/v1/README.md"),
	.schema =
	    "{'type': 'object', 'required': ['thumbnails'], 'properties': {'thumbnails': {'type': 'array', 'items': {"
	    " 'type': 'object', 'required': ['width', 'height', 'media_type'], 'properties': {"
	    "  'width': {'type': 'integer', 'exclusiveMinimum': 0}, 'height': {'type': 'integer', 'exclusiveMinimum': "
	    "0},"
	    "  'media_type': {'type': 'string'}, 'description': {'type': 'string'}, 'attributes': {'type': 'object'},"
	    "  'path': {'type': 'string'}, 'url': {'type': 'string'}},"
	    " 'oneOf': [{'required': ['path']}, {'required': ['url']}]}}}}",
    },
    /* A reference to another node. */
    {
	.name = "ref",
	.prefix = "ref",
	.uuid = "d89b30cf-ed8c-43d5-9a16-b492f0cd8786",
	.description = "References to other nodes",
	.groups = true,
	.arrays = true,
	.schemas = ZINC_URLS(ZINC_RAW "R-CF/zarr_convention_ref/main/schema.json"),
	.specs = ZINC_URLS(ZINC_GITHUB "R-CF/zarr_convention_ref/blob/main/README.md"),
	.schema = "{'type': 'object', 'required': ['ref'], 'properties': {'ref': {'type': 'object'}}}",
    },
    /* Coordinate systems of an array. */
    {
	.name = "cs",
	.prefix = "cs",
	.uuid = "e4dbf0b7-7a00-4ce6-b23e-484292014ab4",
	.description = "Coordinate systems of an array",
	.arrays = true,
	.schemas = ZINC_URLS(ZINC_RAW "R-CF/zarr_convention_cs/main/schema.json",
			     ZINC_RAW "R-CF/zarr_conventions_cs/main/schema/cs.schema.json"),
	.specs = ZINC_URLS(ZINC_GITHUB "R-CF/zarr_convention_cs/blob/main/README.md",
			   ZINC_GITHUB "R-CF/zarr_conventions_cs/blob/main/README.md"),
	.schema = "{'type': 'object', 'required': ['cs'], 'properties': {'cs': {'type': 'object'}}}",
    },
    /* Arrays that say where the elements are. */
    {
	.name = "geolocation",
	.prefix = "geolocation",
	.uuid = "bb9ee930-8c60-4c47-ad6b-8daa558987ed",
	.description = "Geolocation arrays",
	.arrays = true,
	.schemas = ZINC_URLS(ZINC_RAW "R-CF/zarr_convention_geolocation/main/schema.json"),
	.specs = ZINC_URLS(ZINC_GITHUB "R-CF/zarr_convention_geolocation/blob/main/README.md"),
	.schema = "{'type': 'object', 'required': ['geolocation']}",
    },
    /* The arrays of a group as columns (proposed; no rules are written yet). */
    {
	.name = "table",
	.prefix = "table:",
	.uuid = "d517ea5f-92bb-4df1-8bbf-db736286a307",
	.description = "Tables of arrays",
	.groups = true,
	.schemas = ZINC_URLS(ZINC_RAW "R-CF/zarr_convention_table/main/schema.json"),
	.specs = ZINC_URLS(ZINC_GITHUB "R-CF/zarr_convention_table/blob/main/README.md"),
	.schema = "{'type': 'object'}",
    },
    /* Embeddings of places, and the model they are from. */
    {
	.name = "geoemb",
	.prefix = "geoemb:",
	.uuid = "61c12cc5-0e28-4056-999a-480cf3fb7e4c",
	.description = "Geoembeddings convention for geospatial embedding arrays with model provenance",
	.groups = true,
	.schemas = ZINC_URLS(ZINC_RAW "geo-embeddings/embeddings-zarr-convention/refs/tags/v1/schema.json"),
	.specs = ZINC_URLS(ZINC_GITHUB "geo-embeddings/embeddings-zarr-convention/blob/v1/README.md"),
	.schema =
	    "{'type': 'object', 'required': ['geoemb:type', 'geoemb:dimensions', 'geoemb:model', 'geoemb:source_data',"
	    "  'geoemb:data_type'],"
	    " 'properties': {'geoemb:type': {'enum': ['pixel', 'chip']}, 'geoemb:dimensions': {'type': 'integer', "
	    "'minimum': "
	    "1},"
	    "  'geoemb:model': {'type': 'string'}, 'geoemb:data_type': {'type': 'string'},"
	    "  'geoemb:source_data': {'type': 'array', 'minItems': 1, 'items': {'type': 'string'}},"
	    "  'geoemb:gsd': {'type': 'number', 'exclusiveMinimum': 0}, 'geoemb:spatial_layout': {'enum': "
	    "['utm_zones', "
	    "'global']}},"
	    " 'if': {'properties': {'geoemb:type': {'const': 'chip'}}}, 'then': {'required': ['geoemb:chip_layout']}}",
    },
    /* Quantised embeddings of places. */
    {
	.name = "tessera",
	.prefix = "tessera:",
	.uuid = "e7f90d5f-019e-4a38-802f-9fa695e26c71",
	.description = "Quantised geospatial embedding vectors with per-pixel dequantisation scales",
	.groups = true,
	.schemas = ZINC_URLS(ZINC_RAW "ucam-eo/zarr-convention-tessera/refs/tags/v1/schema.json"),
	.specs = ZINC_URLS(ZINC_GITHUB "ucam-eo/zarr-convention-tessera/blob/v1/README.md"),
	.schema =
	    "{'type': 'object', 'required': ['tessera:dataset_version', 'tessera:year'], 'properties': {"
	    " 'tessera:dataset_version': {'type': 'string'}, 'tessera:year': {'type': 'integer', 'minimum': 1970},"
	    " 'tessera:utm_zone': {'type': 'integer', 'minimum': 1, 'maximum': 60},"
	    " 'tessera:n_bands': {'type': 'integer', 'minimum': 1}, 'tessera:n_tiles': {'type': 'integer', 'minimum': "
	    "0},"
	    " 'tessera:model_version': {'type': 'string'}, 'tessera:build_version': {'type': 'string'},"
	    " 'tessera:has_rgb_preview': {'type': 'boolean'}}}",
    },
    /* Categories, as codes and their meanings (unpublished). */
    {
	.name = "enum",
	.prefix = "enum:",
	.uuid = "c906c423-56ed-413c-9943-7b2ff52d18f2",
	.description = "Categories: codes and their order",
	.groups = true,
	.schema =
	    "{'type': 'object', 'properties': {'enum:ordered': {'type': 'boolean'}, 'enum:codes': {'type': 'string'}}}",
    },
    /* A group as a data frame (unpublished). */
    {
	.name = "df",
	.prefix = "df:",
	.uuid = "1f1b36d2-3185-6da8-91f6-9a0823af2d33",
	.description = "Data frames: columns and their index",
	.groups = true,
	.schema = "{'type': 'object', 'properties': {'df:shape': {'type': 'array', 'items': {'type': 'integer', "
		  "'minimum': 0}},"
		  " 'df:index': {'type': 'string'}}}",
    },
};

const size_t zinc_convention_data_count = sizeof zinc_convention_data / sizeof *zinc_convention_data;
