// zarrita.mjs - zarrita.js in Chromium reads the clean version 3 face from another origin, and NumPy agrees
//
// The page comes from a server of this test, so the browser asks for permission (CORS): a suffix range is not a simple
// request, it needs a preflight.

import { createReadStream, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

import { NPM, QUICK, check, equal, launch, npy, openPage, report, serve, test } from "./harness.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const PACKAGES = ["zarrita", "@zarrita/storage", "numcodecs", "reference-spec-reader", "unzipit", "fflate"];

// {"zarrita": "/node_modules/zarrita/dist/src/index.js", "numcodecs/blosc": ...} from the packages' own descriptions
function imports() {
	const map = {};
	for (const name of PACKAGES) {
		const folder = join(NPM, "node_modules", name);
		if (!existsSync(folder)) continue;
		const about = JSON.parse(readFileSync(join(folder, "package.json")));
		const place = (file) => `/node_modules/${name}/${file.replace(/^\.\//, "")}`;
		const pick = (e) => (typeof e === "string" ? e : pick(e.browser ?? e.import ?? e.default));
		if (about.exports?.["."])
			for (const [key, entry] of Object.entries(about.exports)) {
				if (!key.includes("*") && !key.endsWith(".json")) map[name + key.slice(1)] = place(pick(entry));
			}
		else map[name] = place(about.module ?? about.main);
	}
	return { imports: map };
}

function staticServer() {
	const html = readFileSync(join(HERE, "zarrita.html"), "utf8").replace("IMPORTS", () => JSON.stringify(imports()));
	const types = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };
	const server = createServer((q, a) => {
		const path = normalize(decodeURIComponent(new URL(q.url, "http://x").pathname));
		const file = join(NPM, path);
		if (path === "/") a.writeHead(200, { "Content-Type": "text/html" }).end(html);
		else if (path.startsWith("/node_modules/") && existsSync(file))
			createReadStream(file).pipe(a.writeHead(200, { "Content-Type": types[extname(file)] ?? "text/plain" }));
		else a.writeHead(404).end();
	});
	return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}

const statics = await staticServer();
const home = `http://127.0.0.1:${statics.address().port}`;
const { context, close } = await launch();

// Does every element that zarrita reads equal NumPy's?
async function same(page, name, url, path, want, suffix, box) {
	const got = await page.evaluate((a) => window.read(...a), [url, path, suffix, box]).catch((e) => {
		throw new Error(`${e.message}: ${page.failed.join(", ")}`);
	});
	const bytes = Buffer.from(want.data.buffer, want.data.byteOffset, want.data.byteLength);
	equal(`${name}: shape`, got.shape, want.shape);
	check(`${name}: ${want.data.length} elements`, Buffer.from(got.base64, "base64").equals(bytes), got.dtype);
}

async function visit(name, body) {
	await test(`zarrita: ${name}`, async () => {
		const server = await serve("serve", `${name}.zarr`);
		const page = await openPage(context, home);
		page.expected.push(/^elsewhere: /);
		await page.goto(home);
		await page.waitForFunction(() => window.ready);
		await body(page, `${server.url}v3`, server);
		equal(`${name}: no errors in the console`, page.takeProblems().filter((p) => !/status of 404/.test(p)), []);
		await page.close();
		await server.stop();
	});
}

await visit("climate", async (page, url) => {
	await same(page, "climate t2m", url, "t2m", npy("climate.packed"), false);
	await same(page, "climate wind", url, "wind", npy("climate.wind"), false);
	const paths = await page.evaluate((u) => window.list(u), url);
	equal("climate: consolidated metadata", paths, ["/", "/lat", "/lon", "/t2m", "/time", "/wind"]);
});

await visit("microscopy", async (page, url, server) => {
	await same(page, "microscopy, suffix ranges", url, "1", npy("microscopy.1"), true);
	check("microscopy: suffix ranges are preflighted", server.log.some((line) => /\bOPTIONS\b/.test(line)), server.log[0]);
	await same(page, "microscopy, HEAD and ranges", url, "2", npy("microscopy.2"), false);
	if (!QUICK) await same(page, "microscopy, full", url, "0", npy("microscopy.0"), true);
});

await visit("big", async (page, url) => {
	await same(page, "big-endian float32", url, "f4", npy("big.f4"), false);
	await same(page, "big-endian int16", url, "i2", npy("big.i2"), true);
});

await visit("climate-v3-2020", async (page, url) => {
	await same(page, "draft t2m", url, "t2m", npy("climate.packed"), false);
	await same(page, "draft wind", url, "wind", npy("climate.wind"), true);
});

if (!QUICK) {
	await visit("climate-v2", async (page, url) => {
		await same(page, "v2 t2m", url, "t2m", npy("climate-v2.packed"), false);
		await same(page, "v2 wind", url, "wind", npy("climate-v2.wind"), false);
	});
	await visit("microscopy-04", async (page, url) => {
		for (const k of [0, 1, 2]) await same(page, `v2 microscopy ${k}`, url, `${k}`, npy(`microscopy-04.${k}`), false);
	});
}

await visit("records", async (page, url) => {
	const table = npy("records.table");
	const rows = new DataView(table.data.buffer);
	const column = (Type, size, get) => ({ shape: [100], data: Type.from({ length: 100 }, (_, i) => get(i * 20)) });
	await same(page, "records id", url, "table/id", column(Int32Array, 4, (o) => rows.getInt32(o, true)), false);
	await same(page, "records value", url, "table/value", column(Float64Array, 8, (o) => rows.getFloat64(o + 4, true)), false);
});

await visit("huge", async (page, url) => {
	const box = [[0, 300], [999, 1300]];
	const want = { shape: [300, 301], data: new Uint16Array(300 * 301) };
	for (let i = 0; i < 300; i++)
		for (let j = 999; j < 1300; j++) {
			const a = Math.floor(i / 1000), b = Math.floor(j / 1000);
			if ((37 * a + 91 * b) % 33 === 0) want.data[i * 301 + j - 999] = Math.floor((7 * i + 13 * j) / 100) % 65536;
		}
	await same(page, "huge, a box", url, "a", want, false, box);
});

await close();
statics.close();
report();
