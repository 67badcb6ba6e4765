// viewer.mjs - the viewer as a test sees it: open a view, wait for its picture, read pixels and the value at a place
//
// The heat map says where its elements are: data-frame is the box of the picture in the canvas (x, y, w, h in CSS pixels),
// data-view the elements in it (x0, x1, y0, y1), data-flip whether the first row is at the bottom.

import { join } from "node:path";

import { OUT, at, check, colour, colourMaps, equal, openPage, require, serve, until } from "./harness.mjs";

export const MAPS = colourMaps();
const servers = new Map();

// The server of a data set: started once, stopped by stopAll.
export async function serverOf(name) {
	if (!servers.has(name)) servers.set(name, await serve("view", name));
	return servers.get(name);
}

export async function stopAll() {
	for (const [name, server] of servers) equal(`${name}: the server stops by itself`, await server.stop(), 0);
	servers.clear();
}

// Open a data set at a deep link: show(context, "climate.zarr", "/t2m?at=3,0,0")
export async function show(context, name, link = "/") {
	const server = await serverOf(name);
	const page = await openPage(context, new URL(server.url).origin);
	await page.goto(`${server.url}#${link}`);
	await page.locator("#tree [role=treeitem]").first().waitFor();
	return page;
}

// What is there now is no longer what ready() waits for.
export const stale = (page) => page.locator("canvas.plot").evaluateAll((all) => all.forEach((c) => (c.dataset.ready = "")));
export const ready = (page) => page.locator("canvas.plot[data-ready='1']").first().waitFor();

// The <select> with this label
export const field = (page, label) => page.locator("label:has(select)").filter({ hasText: new RegExp(`^\\s*${label}\\b`) }).locator("select");
// Slider and index of a dimension
export const sliderOf = (page, name) => {
	const row = page.locator(".slider").filter({ hasText: new RegExp(`^\\s*${name}\\b`) });
	return { row, range: row.locator("input[type=range]"), index: row.locator("input[type=number]") };
};
export const openTab = (page, name) => page.getByRole("tab", { name: new RegExp(`^${name}$`, "i") }).click();
// The rows of the table in sight, without the head
export const rowsOf = (page) => page.locator("#main table tr:has(td)");

// Go to another view of the same page, as a link does.
export async function go(page, link) {
	await stale(page);
	await page.evaluate((l) => { location.hash = l; }, link);
	await ready(page);
}

// A test ends with this: nothing went wrong unseen.
export async function done(page, name) {
	equal(`${name}: no errors, no requests elsewhere`, page.takeProblems(), []);
	await page.close();
}

export async function geometry(page) {
	const d = await page.locator("canvas.plot").first().evaluate((c) => ({ ...c.dataset, wide: c.width / c.clientWidth }));
	const [x, y, w, h] = d.frame.split(",").map(Number);
	const [x0, x1, y0, y1] = d.view.split(",").map(Number);
	const flip = d.flip === "1";
	return {
		x, y, w, h, x0, x1, y0, y1, flip, scale: d.wide, range: d.range?.split(",").map(Number),
		px: (e) => x + ((e - x0) / (x1 - x0)) * w,
		py: (e) => y + (flip ? 1 - (e - y0) / (y1 - y0) : (e - y0) / (y1 - y0)) * h,
	};
}

// The pixels at places in CSS pixels of the canvas: [[r, g, b]...]
export function pixels(page, places, scale = 1) {
	return page.locator("canvas.plot").first().evaluate((c, { places, scale }) => {
		const all = c.getContext("2d").getImageData(0, 0, c.width, c.height);
		return places.map(([x, y]) => {
			const i = (Math.floor(y * scale) * c.width + Math.floor(x * scale)) * 4;
			return [...all.data.subarray(i, i + 3)];
		});
	}, { places, scale });
}

// The colour of a value, as cli/plot_colour.c: 256 levels.
export function colourOf(map, v, [lo, hi]) {
	if (!Number.isFinite(v)) return map.missing;
	const share = (v - lo) / (hi - lo);
	return colour(map, Math.max(0, Math.min(255, Math.floor(share * 256))) / 255);
}

// Up to `most` elements in sight whose centres are inside the picture, spread evenly.
export function inSight(g, nx, ny, most = 3000) {
	const list = [];
	const from = (v) => Math.max(0, Math.ceil(v - 0.4)), to = (v, n) => Math.min(n - 1, Math.floor(v - 0.6));
	const [ax, bx, ay, by] = [from(g.x0), to(g.x1, nx), from(g.y0), to(g.y1, ny)];
	const all = (bx - ax + 1) * (by - ay + 1), step = Math.max(1, Math.floor(all / most));
	for (let k = 0; k < all; k += step) list.push([ay + Math.floor(k / (bx - ax + 1)), ax + (k % (bx - ax + 1))]);
	return list;
}

// Does every pixel have the colour that want(y, x) says?
export async function samePicture(page, name, nx, ny, want) {
	const g = await geometry(page);
	const places = inSight(g, nx, ny);
	const got = await pixels(page, places.map(([y, x]) => [g.px(x + 0.5), g.py(y + 0.5)]), g.scale);
	const wrong = places.filter(([y, x], k) => String(got[k]) !== String(want(y, x)));
	const first = wrong[0] && `${wrong.length} of ${places.length} differ; y ${wrong[0][0]}, x ${wrong[0][1]} is ${
		got[places.indexOf(wrong[0])]}, not ${want(...wrong[0])}; ${JSON.stringify(g)}`;
	return check(`${name}: ${places.length} pixels are NumPy's values`, places.length > 0 && !wrong.length, first);
}

// What the page says about the element under the pointer: {text, value}.
export async function readAt(page, y, x) {
	const g = await geometry(page);
	const canvas = page.locator("canvas.plot").first();
	const box = await canvas.boundingBox();
	await page.mouse.move(box.x + g.px(x + 0.5), box.y + g.py(y + 0.5));
	await page.waitForTimeout(20);
	const text = await page.locator("#readout").innerText();
	return text.replace(/\s+/g, " ");
}

// The number that a text begins with, or NaN if it says that there is none.
export const numberIn = (text) => (/^\s*(missing|NaN)/i.test(text) ? NaN : Number(/(-?\d[\d.]*(?:e[-+]?\d+)?)/i.exec(text)?.[1] ?? "x"));

// numpy.percentile
export function percentile(values, p) {
	const sorted = Float64Array.from(values).filter(Number.isFinite).sort();
	const place = (p / 100) * (sorted.length - 1), i = Math.floor(place);
	return i + 1 < sorted.length ? sorted[i] * (1 - (place - i)) + sorted[i + 1] * (place - i) : sorted[sorted.length - 1];
}

// One plane of an array, as Float64Array
export function plane(a, ...index) {
	const size = a.shape.slice(index.length).reduce((x, y) => x * y, 1);
	const start = index.reduce((sum, k, d) => sum * a.shape[d] + k, 0) * size;
	return Float64Array.from(a.data.subarray(start, start + size), Number);
}

export const shot = (page, name) => page.screenshot({ path: join(OUT, `${name}.png`) });

const axe = require("axe-core").source;

// Serious and critical findings of axe-core
export async function accessible(page, name) {
	if (!(await page.evaluate(() => !!window.axe))) await page.evaluate(axe);
	const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
	const bad = found.violations.filter((v) => ["serious", "critical"].includes(v.impact));
	equal(`${name}: axe-core`, bad.map((v) => `${v.id}: ${v.nodes.length} × ${v.nodes[0].html.slice(0, 120)} ${v.nodes[0].failureSummary?.slice(0, 200)}`), []);
}

export { at, until };
