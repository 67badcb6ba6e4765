// harness.mjs - what the tests in Chromium share: checks, the server, the browser, NumPy's files, the colour maps
//
// Environment: ZINC (the command), DATA (made by make_data.py), NPM (a folder with node_modules), OUT (screenshots),
// CHROMIUM (the browser), BROWSER_QUICK=1 (a short form).

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const ZINC = resolve(process.env.ZINC ?? "build/zinc");
export const DATA = resolve(process.env.DATA ?? "build/browser-data");
export const NPM = resolve(process.env.NPM ?? "build/browser-npm");
export const OUT = resolve(process.env.OUT ?? "build/browser");
export const QUICK = !!process.env.BROWSER_QUICK;
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

export const require = createRequire(join(NPM, "package.json"));
const { chromium } = require("playwright-core");

// ---- checks ----

let passed = 0;
const failures = [];

export function check(name, ok, detail = "") {
	if (ok) {
		passed++;
		if (process.env.VERBOSE) console.log(`ok: ${name}`);
	} else {
		failures.push(name);
		console.log(`FAIL: ${name}${detail === "" ? "" : `: ${String(detail).slice(0, 600)}`}`);
	}
	return ok;
}

export const equal = (name, got, want) =>
	check(name, JSON.stringify(got) === JSON.stringify(want), `got ${JSON.stringify(got)}, expected ${JSON.stringify(want)}`);

// Run one test; what it throws is a failure of it and ends only it.
export async function test(name, run) {
	const only = process.env.ONLY;
	if (only && !new RegExp(only).test(name)) return;
	const began = Date.now();
	try {
		await run();
	} catch (e) {
		check(name, false, e.stack ?? e);
	}
	console.log(`${name}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
}

export function report() {
	console.log(`${passed} passed, ${failures.length} failed`);
	process.exitCode = failures.length ? 1 : 0;
}

// ---- the server ----

const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

// serve("view", "a.zarr"): {url, log, stop}.  `log` are the lines on standard error.
export function serve(command, ...args) {
	const child = spawn(ZINC, [command, ...args], { cwd: DATA, stdio: ["ignore", "pipe", "pipe"] });
	const log = [];
	running.add(child);
	const ended = new Promise((done) => child.on("exit", (status) => (running.delete(child), done(status))));
	child.stderr.on("data", (d) => log.push(...String(d).split("\n").filter(Boolean)));
	const stop = () => (child.kill("SIGTERM"), ended);
	return new Promise((done, fail) => {
		let text = "";
		child.stdout.on("data", (d) => {
			text += d;
			const url = /^(http:\/\/\S+)\n/m.exec(text);
			if (url) done({ url: url[1], log, stop });
		});
		ended.then((status) => fail(new Error(`zinc ${command} ${args.join(" ")} ended with ${status}: ${log.join("\n")}`)));
	});
}

// ---- the browser ----

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
	"--disable-component-update", "--disable-sync"];

// A browser with a new empty profile, which close() removes.
export async function launch(options = {}) {
	const profile = mkdtempSync(join(tmpdir(), "zinc-browser-"));
	const context = await chromium.launchPersistentContext(profile, {
		executablePath: CHROMIUM, headless: true, args: FLAGS, viewport: { width: 1280, height: 800 }, acceptDownloads: true,
		...options,
	});
	context.setDefaultTimeout(Number(process.env.WAIT ?? 20000));
	const close = async () => {
		await context.close();
		rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
	};
	return { context, close };
}

// A page that remembers what must not happen (errors, requests elsewhere, dialogs) and what was asked for.
export async function openPage(context, origin) {
	const page = await context.newPage();
	page.problems = [];
	page.asked = [];
	page.failed = []; // requests without an answer, and why
	page.expected = [/willReadFrequently/]; // patterns of problems that a test wants; this one is of getImageData in tests
	page.on("console", (m) => {
		if (m.type() === "error" || m.type() === "warning") page.problems.push(`${m.text()} ${m.location().url}`);
	});
	page.on("pageerror", (e) => page.problems.push(`uncaught: ${e.stack ?? e}`));
	page.on("dialog", (d) => (page.problems.push(`dialog: ${d.message()}`), d.dismiss()));
	page.on("request", (r) => {
		const url = new URL(r.url());
		page.asked.push(url);
		if (!["data:", "blob:"].includes(url.protocol) && url.origin !== origin) page.problems.push(`elsewhere: ${r.url()}`);
	});
	page.on("requestfailed", (r) => page.failed.push(`${r.method()} ${r.url()} ${r.failure()?.errorText}`));
	page.takeProblems = () => page.problems.splice(0).filter((p) => !page.expected.some((e) => e.test(p)));
	return page;
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// Wait until make() gives something true, and return it; after `timeout` its last value.
export async function until(make, timeout = 15000) {
	const end = Date.now() + timeout;
	for (;;) {
		const value = await make();
		if (value || Date.now() > end) return value;
		await sleep(50);
	}
}

// ---- NumPy's files ----

const TYPES = {
	"|i1": Int8Array, "|u1": Uint8Array, "|b1": Uint8Array, "<i2": Int16Array, "<u2": Uint16Array, "<i4": Int32Array,
	"<u4": Uint32Array, "<i8": BigInt64Array, "<u8": BigUint64Array, "<f4": Float32Array, "<f8": Float64Array,
};

export function parseNpy(bytes) {
	const b = Buffer.from(bytes);
	if (b.toString("latin1", 0, 6) !== "\x93NUMPY") throw new Error("no npy file");
	const wide = b[6] > 1;
	const start = (wide ? 12 : 10) + (wide ? b.readUInt32LE(8) : b.readUInt16LE(8));
	const header = b.toString("latin1", 10, start);
	const descr = /'descr': '([^']*)'/.exec(header)?.[1];
	const shape = /'shape': \(([^)]*)\)/.exec(header)[1].split(",").map((s) => s.trim()).filter(Boolean).map(Number);
	const Type = TYPES[descr] ?? Uint8Array;
	return { descr, shape, data: new Type(Uint8Array.from(b.subarray(start)).buffer) };
}

export const npy = (name) => parseNpy(readFileSync(join(DATA, `${name}.npy`)));
export const json = (name) => JSON.parse(readFileSync(join(DATA, `${name}.json`)));

// The element at an index.
export const at = (a, ...index) => a.data[index.reduce((sum, k, d) => sum * a.shape[d] + k, 0)];

// ---- the colour maps ----

// The control points as cli/plot_colour.c has them: {viridis: {points: [[r, g, b]...], missing: [r, g, b]}}
export function colourMaps() {
	const source = readFileSync(join(ROOT, "cli/plot_colour.c"), "utf8");
	const rgb = (hex) => [parseInt(hex.slice(0, 2), 16), parseInt(hex.slice(2, 4), 16), parseInt(hex.slice(4), 16)];
	const maps = {};
	for (const [, name, list] of source.matchAll(/static const uint32_t (\w+)\[\] = \{([^}]*)\}/g))
		maps[name] = { points: [...list.matchAll(/0x([0-9a-f]{6})/g)].map((m) => rgb(m[1])) };
	for (const [, name, hex] of source.matchAll(/ROW\((\w+), \w+, 0x([0-9a-f]{6})\)/g)) maps[name].missing = rgb(hex);
	return maps;
}

// The colour of a share of the range, 0 to 1.
export function colour(map, share) {
	const place = Math.min(1, Math.max(0, share)) * (map.points.length - 1);
	const i = Math.min(Math.floor(place), map.points.length - 2);
	return map.points[i].map((from, k) => Math.round(from + (map.points[i + 1][k] - from) * (place - i)));
}
