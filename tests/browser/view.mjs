// view.mjs - the viewer in Chromium: every view of every data set, compared with NumPy's values

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { DATA, OUT, QUICK, ZINC, at, check, equal, json, launch, npy, parseNpy, report, sleep, test, until } from "./harness.mjs";
import {
	MAPS, accessible, colourOf, done, field, geometry, go, numberIn, openTab, percentile, pixels, plane, readAt, ready, rowsOf, samePicture,
	serverOf, shot, show, sliderOf, stale, stopAll,
} from "./viewer.mjs";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const PYTHON = process.env.PYTHON ?? "python3";
mkdirSync(OUT, { recursive: true });
const { context, close } = await launch();
const full = QUICK ? async () => {} : test;

const zinc = (...args) => JSON.parse(execFileSync(ZINC, [...args, "--json"], { cwd: DATA, maxBuffer: 1 << 28 }));
const asked = (page, name) => page.asked.filter((u) => u.pathname.endsWith(`/api/${name}`)).map((u) => Object.fromEntries(u.searchParams));
// "0,10:20,3:4" as [[0, 1], [10, 20], [3, 4]]
const spans = (s) => s.split(",").map((p) => (p.includes(":") ? p.split(":").map(Number) : [Number(p), Number(p) + 1]));
// The same places in every run
const random = ((seed) => () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648)(7);
const main = (page) => page.locator("#main");

async function download(page, click) {
	const [file] = await Promise.all([page.waitForEvent("download"), click()]);
	return readFileSync(await file.path());
}

const exportAs = async (page, name) => {
	const menu = page.locator("details.menu");
	if (!(await menu.evaluate((d) => d.open))) await menu.locator("summary").click();
	return download(page, () => menu.getByRole("button", { name }).click());
};

// ---- the page itself ----

await test("size", async () => {
	const folder = join(ROOT, "server/page");
	const bytes = readdirSync(folder).reduce((sum, f) => sum + statSync(join(folder, f)).size, 0);
	check(`the page has ${bytes} bytes, fewer than 60 000`, bytes < 60000);
});

await test("tree", async () => {
	const page = await show(context, "climate.zarr");
	const items = page.getByRole("treeitem");
	await until(async () => (await items.count()) === 6);
	const texts = await items.allInnerTexts();
	for (const name of ["lat", "lon", "t2m", "time", "wind"]) check(`tree: ${name}`, texts.some((t) => t.includes(name)), texts);
	check("tree: shape and type", texts.some((t) => /t2m\s+24×72×144 · int16/.test(t)), texts);
	await until(async () => /t2m.* [kKM]?B · [\d.]+×/s.test((await items.allInnerTexts()).find((t) => t.includes("t2m"))));
	check("tree: stored bytes and ratio", /t2m.* [kKM]?B · [\d.]+×/s.test((await items.allInnerTexts()).find((t) => t.includes("t2m"))));
	await page.getByRole("searchbox").fill("win");
	equal("search: what is left", (await items.allInnerTexts()).map((t) => t.split(/\s+/).find((w) => /\w/.test(w)) ?? "/"), ["5", "wind"]);
	check("search: the count is said", /\d/.test(await page.locator("#found").innerText()));
	await page.getByRole("searchbox").fill("");
	await items.filter({ hasText: "wind" }).click();
	await ready(page);
	check("tree: a click opens the node", page.url().includes("#/wind"), page.url());
	await done(page, "tree");
});

await test("tree of 2 000 nodes", async () => {
	const began = Date.now();
	const page = await show(context, "many.zarr");
	check("2 000 nodes: shown within 5 s", Date.now() - began < 5000, Date.now() - began);
	await page.getByRole("searchbox").fill("a33");
	await until(async () => /^(40|81) /.test(await page.locator("#found").innerText()));
	check("2 000 nodes: matches, or rows with their groups", /^(40|81) /.test(await page.locator("#found").innerText()), await page.locator("#found").innerText());
	check("2 000 nodes: few rows exist", (await page.getByRole("treeitem").count()) < 120, await page.getByRole("treeitem").count());
	await page.getByRole("searchbox").fill("g17/a33");
	await page.getByRole("treeitem", { name: /a33/ }).click();
	await ready(page);
	check("2 000 nodes: opened", page.url().includes("#/g17/a33"), page.url());
	await done(page, "2 000 nodes");
});

// ---- heat maps of climate, in every kind of store ----

async function climate(name, file) {
	const t2m = npy(`${name}.t2m`), wind = npy(`${name}.wind`);
	const page = await show(context, file, "/t2m?at=5,0,0");
	await ready(page);
	const g = await geometry(page), seen = plane(t2m, 5), range = [percentile(seen, 2), percentile(seen, 98)];
	check(`${file}: stretched from 2 to 98 %`, Math.abs(g.range[0] - range[0]) < 1e-9 && Math.abs(g.range[1] - range[1]) < 1e-9, `${g.range} ${range}`);
	await samePicture(page, `${file} t2m`, 144, 72, (y, x) => colourOf(MAPS.viridis, at(t2m, 5, y, x), range));
	for (let k = 0; k < (QUICK ? 8 : 40); k++) {
		const y = Math.floor(random() * 72), x = k % 8 ? Math.floor(random() * 144) : 55, text = await readAt(page, y, x);
		const want = at(t2m, 5, y, x);
		check(`${file}: the value at ${y}, ${x}`, Object.is(numberIn(text), want) && text.includes(`lat[${y}]`) && text.includes(`lon[${x}]`),
			`"${text}", not ${want}`);
	}
	check(`${file}: units`, / K/.test(await readAt(page, 1, 1)), await readAt(page, 1, 1));
	check(`${file}: coordinates`, (await readAt(page, 10, 4)).includes("63.75") && (await readAt(page, 10, 4)).includes("lon[4] = 10 "), await readAt(page, 10, 4));
	check(`${file}: a missing value`, /missing/.test(await readAt(page, 32, 55)), await readAt(page, 32, 55));
	await go(page, "/wind?at=7,0,0&range=-2,3&cmap=magma");
	await samePicture(page, `${file} wind, NaN`, 144, 72, (y, x) => colourOf(MAPS.magma, at(wind, 7, y, x), [-2, 3]));
	const text = await readAt(page, 20, 30);
	check(`${file}: a float32`, Math.fround(numberIn(text)) === at(wind, 7, 20, 30), `"${text}" ${at(wind, 7, 20, 30)}`);
	await done(page, file);
}

await test("climate", () => climate("climate", "climate.zarr"));
await full("climate v2", () => climate("climate-v2", "climate-v2.zarr"));
await test("climate zip", () => climate("climate", "climate.zip"));
await full("climate draft", () => climate("climate", "climate-v3-2020.zarr"));

await test("stretch and colours", async () => {
	const t2m = npy("climate.t2m"), packed = npy("climate.packed");
	const page = await show(context, "climate.zarr", "/t2m");
	await ready(page);
	const seen = plane(t2m, 0), [whole, inner] = [[0, 100], [10, 90]].map((ends) => ends.map((p) => percentile(seen, p)));
	await stale(page);
	await field(page, "Range").selectOption({ label: "min – max" });
	await ready(page);
	await samePicture(page, "min – max", 144, 72, (y, x) => colourOf(MAPS.viridis, at(t2m, 0, y, x), whole));
	await go(page, "/t2m?range=10,90%25");
	await samePicture(page, "10 – 90 %", 144, 72, (y, x) => colourOf(MAPS.viridis, at(t2m, 0, y, x), inner));
	await go(page, "/t2m?range=260,280");
	await page.getByRole("textbox", { name: /low/i }).fill("265,285");
	await page.keyboard.press("Enter");
	await until(async () => (await geometry(page)).range?.join() === "265,285");
	for (const map of QUICK ? ["cividis"] : ["magma", "cividis", "grey", "balance"]) {
		await stale(page);
		await field(page, "Colours").selectOption(map);
		await ready(page);
		await samePicture(page, map, 144, 72, (y, x) => colourOf(MAPS[map], at(t2m, 0, y, x), [265, 285]));
	}
	await go(page, "/t2m?cf=0&range=-2000,2000");
	const text = await readAt(page, 3, 4);
	equal("not decoded: the stored integer", numberIn(text), at(packed, 0, 3, 4));
	await done(page, "stretch");
});

await test("sliders", async () => {
	const t2m = npy("climate.t2m");
	const page = await show(context, "climate.zarr", "/t2m?range=265,285");
	await ready(page);
	const { row, range: slider, index } = sliderOf(page, "time");
	check("slider: date of the first step", (await row.innerText()).includes("2020-01-01"), await row.innerText());
	await slider.focus();
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("ArrowRight");
	equal("slider: two steps", await index.inputValue(), "2");
	check("slider: the date follows", (await row.innerText()).includes("2020-01-31"), await row.innerText());
	await until(async () => numberIn(await readAt(page, 3, 4)) === at(t2m, 2, 3, 4));
	await samePicture(page, "slider", 144, 72, (y, x) => colourOf(MAPS.viridis, at(t2m, 2, y, x), [265, 285]));
	await index.fill("23");
	await page.keyboard.press("Enter");
	await until(async () => numberIn(await readAt(page, 3, 4)) === at(t2m, 23, 3, 4));
	equal("slider: an index", numberIn(await readAt(page, 3, 4)), at(t2m, 23, 3, 4));
	check("slider: in the link", /at=23,/.test(page.url()), page.url());
	await index.fill("0");
	await page.keyboard.press("Enter");
	await page.getByRole("button", { name: "Play time" }).click();
	await until(async () => Number(await index.inputValue()) >= 2, 6000);
	await page.getByRole("button", { name: "Play time" }).click();
	const stopped = Number(await index.inputValue());
	check("play: it moves", stopped >= 2, stopped);
	await sleep(1200);
	equal("play: it stops", Number(await index.inputValue()), stopped);
	await field(page, "Rows").selectOption({ label: "time" });
	await until(async () => (await geometry(page)).y1 > 0 && (await sliderOf(page, "lat").range.count()) === 1);
	await sliderOf(page, "lat").index.fill("9");
	await page.keyboard.press("Enter");
	await sleep(400);
	await ready(page);
	await samePicture(page, "other axes", 144, 24, (y, x) => colourOf(MAPS.viridis, at(t2m, y, 9, x), [265, 285]));
	await done(page, "sliders");
});

// What the value line says now; no pointer moves.
const said = async (page) => (await page.locator("#readout").innerText()).replace(/\s+/g, " ");
async function says(page, value, as = Number) {
	const now = async () => as(numberIn(await said(page)));
	await until(async () => Object.is(await now(), value), 5000);
	return now();
}

await test("value line", async () => {
	const wind = npy("climate.wind"), t2m = npy("climate.t2m"), packed = npy("climate.packed");
	const page = await show(context, "climate.zarr", "/t2m");
	await ready(page);
	equal("value line: under the pointer", numberIn(await readAt(page, 40, 50)), at(t2m, 0, 40, 50));
	await page.keyboard.press("]");
	equal("value line: the next step, under a still pointer", await says(page, at(t2m, 1, 40, 50)), at(t2m, 1, 40, 50));
	await sliderOf(page, "time").range.focus();
	await page.keyboard.press("ArrowRight");
	equal("value line: the slider", await says(page, at(t2m, 2, 40, 50)), at(t2m, 2, 40, 50));
	await page.getByLabel("Decode").focus();
	await page.keyboard.press("Space");
	equal("value line: not decoded", await says(page, at(packed, 2, 40, 50)), at(packed, 2, 40, 50));
	await go(page, "/wind");
	await page.locator("canvas.plot").focus();
	await page.keyboard.press("Shift+ArrowRight");
	const text = await said(page), [y, x] = [/lat\[(\d+)\]/, /lon\[(\d+)\]/].map((r) => Number(r.exec(text)?.[1]));
	await page.keyboard.press("]");
	equal("value line: the next step, at the cursor", await says(page, at(wind, 1, y, x), Math.fround), at(wind, 1, y, x));
	await done(page, "value line");
});

await test("no answer", async () => {
	const wind = npy("climate.wind");
	const page = await show(context, "climate.zarr", "/wind");
	page.expected.push(/500/);
	await ready(page);
	await readAt(page, 40, 50);
	let answer;
	const asks = new Promise((go) => page.route("**/api/plot?*", (route) => (go(), (answer = () => route.continue()))));
	await page.keyboard.press("]");
	await asks;
	equal("pending: no value of the step before", [(await said(page)).trim(), (await readAt(page, 30, 50)).trim()], ["", ""]);
	await answer();
	equal("pending: then the one of this step", await says(page, at(wind, 1, 30, 50), Math.fround), at(wind, 1, 30, 50));
	await page.unroute("**/api/plot?*");
	await page.route("**/api/plot?*", (route) => route.fulfill({ status: 500, body: "the store is gone" }));
	const g = await geometry(page), place = [[g.x + g.w / 2, g.y + g.h / 2], [2, 2]];
	await page.keyboard.press("]");
	await page.getByText("the store is gone").waitFor();
	equal("failed: no value", [(await said(page)).trim(), (await readAt(page, 40, 50)).trim()], ["", ""]);
	const [middle, edge] = await pixels(page, place, g.scale);
	equal("failed: no old picture", middle, edge);
	await page.unroute("**/api/plot?*");
	await page.keyboard.press("]");
	await ready(page);
	equal("failed: the next step works", await says(page, at(wind, 3, 40, 50), Math.fround), at(wind, 3, 40, 50));
	// as of an array that shrank: an answer of another size
	await page.route("**/api/plot?*", async (route) => {
		const response = await route.fetch(), body = await response.json();
		await route.fulfill({ response, json: { ...body, cells: body.cells.slice(0, 32000) } });
	});
	await page.keyboard.press("]");
	await page.getByText(/array has changed/).waitFor();
	check("an answer of another size says so", true);
	await done(page, "no answer");
});

await test("bad links", async () => {
	const t2m = npy("climate.t2m"), seen = plane(t2m, 0), usual = [percentile(seen, 2), percentile(seen, 98)];
	const page = await show(context, "climate.zarr", "/t2m");
	await ready(page);
	for (const range of ["300,200", "5", "abc", "1,2,3", "150,160%", "-5,50%", "1e400,2", "null", "0,0", ",", "NaN,3"]) {
		await go(page, `/t2m?range=${encodeURIComponent(range)}`);
		const g = await geometry(page);
		check(`range ${range}: the usual one`, usual.every((v, i) => Math.abs(v - g.range[i]) < 1e-9), g.range);
	}
	const box = page.getByRole("textbox", { name: /low/i });
	await stale(page);
	await box.fill("300,200");
	await box.press("Enter");
	await ready(page);
	check("a bad range is not kept", !/300/.test(page.url()), page.url());
	await samePicture(page, "after a bad range", 144, 72, (y, x) => colourOf(MAPS.viridis, at(t2m, 0, y, x), usual));
	for (const link of ["/t2m?x=1&y=1", "/t2m?x=length&y=2", "/t2m?cmap=constructor", "/t2m?level=constructor", "/t2m?tab=constructor", "/t2m?cf=7"]) {
		await go(page, link);
		check(`${link}: a picture`, Number.isFinite(numberIn(await readAt(page, 3, 4))), await said(page));
		equal(`${link}: nothing is wrong`, await page.locator(".bad").allInnerTexts(), []);
	}
	equal("cf=7 decodes", numberIn(await readAt(page, 3, 4)), at(t2m, 0, 3, 4));
	await page.evaluate(() => { location.hash = "/t2m?as=table&row=99999&col=-7"; });
	await rowsOf(page).first().waitFor();
	equal("row=99999 is the last row", await rowsOf(page).count(), 1);
	await done(page, "bad links");
	const other = await show(context, "kinds.zarr", "/nan");
	await ready(other);
	await field(other, "Range").selectOption({ label: "fixed" });
	await sleep(200);
	check("no fixed range without numbers", !/null/.test(other.url()), other.url());
	await done(other, "no numbers");
});

// ---- zoom and pan ----

const hugeValue = (i, j) =>
	(37 * Math.floor(i / 1000) + 91 * Math.floor(j / 1000)) % 33 === 0 ? Math.floor((7 * i + 13 * j) / 100) % 65536 : 0;
const FILL = [0xe0, 0x5f, 0xd0]; // of viridis
const hugeColour = (i, j) => colourOf(MAPS.viridis, hugeValue(i, j), [0, 700]);

await test("huge", async () => {
	const page = await show(context, "huge.zarr", "/a");
	await ready(page);
	check("huge: a note on sampling", /sample/i.test(await main(page).innerText()), (await main(page).innerText()).slice(0, 300));
	await shot(page, "huge");
	page.asked.length = 0;
	await go(page, "/a?box=1950,2050,2960,3030&fit=1&range=0,700");
	const box = asked(page, "plot").map((q) => spans(q.s));
	check("huge: only what is in sight is read", box.length > 0 && box.every(([y, x]) => y[0] >= 2960 && y[1] <= 3030 && x[0] >= 1950 && x[1] <= 2050), JSON.stringify(box));
	await samePicture(page, "huge, 100 × 70", 100000, 100000, hugeColour);
	for (const [y, x] of [[2965, 1999], [2999, 1999], [3000, 2000], [2980, 2010], [3020, 1960]])
		equal(`huge: the value at ${y}, ${x}`, numberIn(await readAt(page, y, x)), hugeValue(y, x));
	page.asked.length = 0;
	const canvas = page.locator("canvas.plot"), before = await geometry(page), place = await canvas.boundingBox();
	await page.mouse.move(place.x + before.px(2000), place.y + before.py(3000));
	await page.mouse.wheel(0, -100);
	await until(() => asked(page, "plot").length > 0);
	await ready(page);
	const near = await geometry(page);
	check("huge: the wheel zooms in about the pointer", near.x1 - near.x0 < before.x1 - before.x0 && Math.abs(near.px(2000) - before.px(2000)) < 1, JSON.stringify([before, near]));
	await page.mouse.down();
	await page.mouse.move(place.x + before.px(2000) + 80, place.y + before.py(3000) + 30, { steps: 5 });
	await page.mouse.up();
	await sleep(300);
	await ready(page);
	const moved = await geometry(page);
	check("huge: dragging moves the view", moved.x0 < near.x0 && moved.y0 < near.y0, JSON.stringify([near, moved]));
	const last = spans(asked(page, "plot").at(-1).s);
	check("huge: and reads only that", last[0][0] >= Math.floor(moved.y0) && last[1][1] <= Math.ceil(moved.x1) && last[1][1] - last[1][0] < 110, JSON.stringify(last));
	await samePicture(page, "huge, moved", 100000, 100000, hugeColour);
	await shot(page, "huge-near");
	await done(page, "huge");
});

await test("a sharp screen", async () => {
	const sharp = await launch({ viewport: { width: 1920, height: 1080 }, deviceScaleFactor: 2 });
	const page = await show(sharp.context, "huge.zarr", "/a?box=0,12000,0,8000");
	await ready(page);
	const cells = asked(page, "plot").at(-1);
	check("sharp: as many cells as the screen has pixels", cells.width * cells.height > 1.5e6, JSON.stringify(cells));
	equal("sharp: nothing is wrong", await page.locator(".bad").allInnerTexts(), []);
	const g = await geometry(page), seen = await pixels(page, [[g.px(500), g.py(500)], [g.px(1500), g.py(500)]], g.scale);
	check("sharp: a picture", String(seen[0]) !== String(seen[1]) && String(seen[1]) === String(colourOf(MAPS.viridis, 0, [0, 700])), seen);
	await shot(page, "sharp");
	await done(page, "sharp");
	await sharp.close();
});

// ---- pyramids and channels ----

const COLOURS = [[0, 0, 255], [0, 255, 0], [255, 0, 0]];

// Channels added up, each stretched by its window
const composed = (level, z, y, x, on = [0, 1, 2]) => {
	const sum = [0, 0, 0];
	for (const c of on) {
		const share = Math.max(0, Math.min(1, (at(level, c, z, y, x) - 100) / (2000 * (c + 1) - 100)));
		COLOURS[c].forEach((part, i) => (sum[i] += part * share));
	}
	return sum.map((v) => Math.min(255, Math.floor(v + 0.5)));
};

async function microscopy(name, size) {
	const levels = [0, 1, 2].map((k) => npy(`${name}.${k}`)), file = `${name}.zarr`;
	const page = await show(context, file, "/?at=0,3,0,0");
	await ready(page);
	await shot(page, name);
	check(`${file}: channels by name`, (await page.getByLabel("nuclei").count()) === 1 && (await page.getByLabel("actin").count()) === 1);
	await go(page, `/?at=0,3,0,0&level=0&fit=1&box=60,160,40,110`);
	await samePicture(page, `${file}: composed`, size, size, (y, x) => composed(levels[0], 3, y, x));
	const text = await readAt(page, 50, 70);
	check(`${file}: values of all channels`, [0, 1, 2].every((c) => text.includes(` ${at(levels[0], c, 3, 50, 70)}`)), text);
	await stale(page);
	await page.getByLabel("actin").uncheck();
	await ready(page);
	await samePicture(page, `${file}: two channels`, size, size, (y, x) => composed(levels[0], 3, y, x, [0, 2]));
	await go(page, `/?at=1,3,0,0&level=0&fit=1&box=60,160,40,110&mix=0&range=0,4000`);
	await samePicture(page, `${file}: one channel`, size, size, (y, x) => colourOf(MAPS.viridis, at(levels[0], 1, 3, y, x), [0, 4000]));
	for (const k of [1, 2]) {
		page.asked.length = 0;
		await go(page, `/?at=1,3,0,0&level=${k}&fit=1&box=0,${size / 2},0,${size / 2}&mix=0&range=0,4000`);
		equal(`${file}: level ${k} is read`, [...new Set(asked(page, "plot").map((q) => q.path))], [String(k)]);
		const f = 2 ** k, g = await geometry(page), places = [];
		for (let i = 0; i < 400; i++) places.push([Math.floor(random() * (size / 2 / f)), Math.floor(random() * (size / 2 / f))]);
		const got = await pixels(page, places.map(([y, x]) => [g.px((x + 0.5) * f), g.py((y + 0.5) * f)]), g.scale);
		const wrong = places.filter(([y, x], i) => String(got[i]) !== String(colourOf(MAPS.viridis, at(levels[k], 1, 3, y, x), [0, 4000])));
		equal(`${file}: pixels of level ${k}`, wrong, []);
	}
	page.asked.length = 0;
	await go(page, `/?at=1,3,0,0&mix=0&box=${-4 * size},${4 * size},${-2 * size},${2 * size}`);
	equal(`${file}: from afar the coarsest level`, [...new Set(asked(page, "plot").map((q) => q.path))], ["2"]);
	page.asked.length = 0;
	await go(page, `/?at=1,3,0,0&mix=0&box=10,90,10,60`);
	equal(`${file}: near by the finest`, [...new Set(asked(page, "plot").map((q) => q.path))], ["0"]);
	await done(page, file);
}

await test("microscopy", () => microscopy("microscopy", 512));
await full("microscopy 0.4", () => microscopy("microscopy-04", 256));

await test("rgb", async () => {
	const rgb = npy("kinds.rgb");
	const page = await show(context, "kinds.zarr", "/rgb?fit=1&box=20,120,30,110");
	await ready(page);
	await samePicture(page, "rgb", 300, 200, (y, x) => [0, 1, 2].map((c) => at(rgb, y, x, c)));
	await shot(page, "rgb");
	await done(page, "rgb");
});

// ---- numbers of every kind ----

await test("special values", async () => {
	const special = npy("kinds.special"), big = npy("kinds.int64");
	const page = await show(context, "kinds.zarr", "/special?fit=1&range=-2,2");
	await ready(page);
	await samePicture(page, "NaN and infinities", 16, 16, (y, x) => colourOf(MAPS.viridis, at(special, y, x), [-2, 2]));
	await go(page, "/int64");
	for (const [y, x] of [[0, 0], [0, 1], [3, 4], [7, 7]]) {
		const want = String(at(big, y, x));
		await readAt(page, y, x);
		await until(async () => (await page.locator("#readout").innerText()).includes(want), 3000);
		check(`int64: ${want}`, (await page.locator("#readout").innerText()).includes(want), await page.locator("#readout").innerText());
	}
	await page.evaluate(() => { location.hash = "/int64?as=table"; });
	await rowsOf(page).first().waitFor();
	const cells = await rowsOf(page).first().locator("td").allInnerTexts();
	equal("int64: a table has every digit", cells.slice(1), Array.from({ length: 8 }, (_, x) => String(at(big, 0, x))));
	await page.evaluate(() => { location.hash = "/scalar"; });
	await page.getByText("42.5").first().waitFor();
	check("0-d: its value", true);
	await page.evaluate(() => { location.hash = "/empty"; });
	await page.getByText(/is empty/).waitFor();
	check("an empty array says so", true);
	for (const name of ["bool", "one", "constant", "wide", "nan"]) {
		await go(page, `/${name}`);
		check(`${name}: a picture`, (await geometry(page)).w > 50);
	}
	const bool = npy("kinds.bool");
	await go(page, "/bool");
	await readAt(page, 2, 3);
	equal("bool: words", await page.locator("#readout b").innerText(), String(at(bool, 2, 3) === 1));
	await done(page, "special");
});

await test("fill values", async () => {
	const zeros = npy("kinds.zeros"), page = await show(context, "kinds.zarr", "/zeros");
	await ready(page);
	const seen = plane(zeros), range = [percentile(seen, 2), percentile(seen, 98)];
	await samePicture(page, "a fill value of 0 is a number", 40, 30, (y, x) => colourOf(MAPS.viridis, at(zeros, y, x), range));
	check("fill 0: no note on means", !/Means/.test(await main(page).innerText()));
	const legend = async () => {
		const g = await geometry(page), places = Array.from({ length: 40 }, (_, i) => [g.x + g.w + 20, g.y + g.h - i]);
		return (await pixels(page, places, g.scale)).some((c) => String(c) === String(FILL));
	};
	check("fill 0: it is not in the legend", !(await legend()));
	await go(page, "/single?range=0,2");
	check("fill 0.1: it is in the legend", await legend());
	await samePicture(page, "a fill value of float32", 20, 20, (y) => (y >= 5 && y < 10 ? FILL : colourOf(MAPS.viridis, 1.5, [0, 2])));
	await go(page, "/special?range=0,2");
	check("a fill value of NaN is not in the legend", !(await legend()));
	await go(page, "/holes");
	check("fill -9999: the value is a mean", /mean of/.test(await readAt(page, 100, 100)), await said(page));
	await page.getByText("Means include the fill value.").waitFor();
	await go(page, "/holes?box=10,40,10,30");
	check("fill -9999: nothing is said of elements", !/Means/.test(await main(page).innerText()));
	await done(page, "fill values");
});

// The texts of the picture, once it is drawn again
async function textsOf(page) {
	await page.evaluate(() => {
		const draw = CanvasRenderingContext2D.prototype.fillText;
		window.texts = [];
		CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
			window.texts.push(text);
			return draw.call(this, text, ...rest);
		};
	});
	await page.locator("canvas.plot").focus();
	await page.keyboard.press("Shift+ArrowRight");
	return page.evaluate(() => window.texts);
}

await test("labels and lines", async () => {
	const page = await show(context, "kinds.zarr", "/offset");
	await ready(page);
	const bar = (await textsOf(page)).map(Number).filter((v) => v > 1e8);
	check("labels: a small range far from 0", bar.length >= 3 && new Set(bar).size === bar.length, bar);
	await done(page, "labels");
	const huge = await show(context, "huge.zarr", "/a?range=0,700");
	await ready(huge);
	const picture = () => huge.locator("canvas.plot").evaluate((c) => c.toDataURL());
	const plain = await picture();
	await go(huge, "/a?range=0,700&over=grid");
	check("lines: none where chunks are of a few pixels", (await picture()) === plain);
	await go(huge, "/a?range=0,700&box=0,9000,0,9000");
	const near = await picture();
	await go(huge, "/a?range=0,700&box=0,9000,0,9000&over=grid");
	check("lines: where chunks are larger", (await picture()) !== near);
	await done(huge, "lines");
});

await test("line", async () => {
	const line = npy("kinds.line");
	const page = await show(context, "kinds.zarr", "/line?box=100,300,0,1");
	await ready(page);
	const canvas = page.locator("canvas.plot"), box = await canvas.boundingBox();
	let right = 0;
	for (let k = 0; k < 12; k++) {
		await page.mouse.move(box.x + 100 + k * 60, box.y + 100);
		await sleep(30);
		const text = (await page.locator("#readout").innerText()).replace(/\s+/g, " "), i = Number(/x\[(\d+)\]/.exec(text)?.[1]);
		right += numberIn(text) === at(line, i);
	}
	equal("line: values under the pointer", right, 12);
	await page.getByRole("button", { name: "Histogram" }).click();
	await page.getByRole("img").first().waitFor();
	await shot(page, "line");
	await go(page, "/line");
	await page.mouse.move(box.x + 300, box.y + 100);
	await sleep(50);
	check("line: a mean says so", /mean/.test(await page.locator("#readout").innerText()), await page.locator("#readout").innerText());
	await done(page, "line");
});

await test("panels", async () => {
	const page = await show(context, "climate.zarr", "/t2m?at=5,0,0");
	await ready(page);
	page.asked.length = 0;
	await page.getByRole("button", { name: "Profiles" }).click();
	await page.locator("#pane figure canvas").nth(1).waitFor();
	await page.locator("canvas.plot").scrollIntoViewIfNeeded();
	const g = await geometry(page), place = await page.locator("canvas.plot").boundingBox();
	await page.mouse.click(place.x + g.px(20.5), place.y + g.py(10.5));
	await until(async () => /lat\[10\]/.test(await main(page).getByText(/Along lon/).innerText()));
	check("profiles: at the place of the click", /lat\[10\]/.test(await main(page).getByText(/Along lon/).innerText()));
	equal("profiles: what is read", asked(page, "plot").filter((q) => q.kind === "line").slice(-2).map((q) => q.s).sort(), ["5,0:72,20", "5,10,0:144"]);
	await page.getByRole("button", { name: "Histogram" }).click();
	await page.locator("#pane figure").filter({ hasText: /in sight/ }).waitFor();
	const t2m = npy("climate.t2m"), numbers = plane(t2m, 5).filter(Number.isFinite).length;
	check("histogram: its numbers", (await main(page).innerText()).replace(/[\u00a0\u2009\u202f]/g, " ").includes(`${numbers.toLocaleString("en").replace(",", " ")} numbers`), numbers);
	await page.getByRole("button", { name: "Explain" }).click();
	const line = page.locator("#pane section").filter({ hasText: /requests?/ });
	await line.waitFor();
	const cost = zinc("explain", "climate.zarr/t2m", "-s", "5,0:72,0:144"), text = await line.innerText();
	const says = (n, what) => new RegExp(`\\b${n} ${what}|${what}s?\\s+${n}\\b`).test(text); // in a sentence or a table
	check("explain: what `zinc explain` says", says(cost.requests, "request") && says(cost.chunks, "chunk"), text);
	await shot(page, "climate-panels");
	await accessible(page, "panels");
	await done(page, "panels");
});

// ---- tables ----

await test("strings", async () => {
	const names = json("strings.names"), fixed = json("strings.fixed");
	const texts = (page) => rowsOf(page).evaluateAll((rows) => rows.map((r) => [...r.cells].slice(1).map((c) => c.textContent)));
	for (const file of QUICK ? ["strings.zarr"] : ["strings.zarr", "strings-v2.zarr"]) {
		const page = await show(context, file, "/names");
		await rowsOf(page).first().waitFor();
		equal(`${file}: all strings`, (await texts(page)).map((r) => r[0]), names);
		equal(`${file}: no markup of a string`, await main(page).locator("td b b, td img").count(), 0);
		await shot(page, file.replace(".zarr", ""));
		if (file === "strings.zarr") {
			await page.getByRole("treeitem", { name: /fixed/ }).click();
			await until(async () => (await rowsOf(page).count()) === 20);
			equal("fixed strings", await texts(page), fixed);
		}
		await done(page, file);
	}
});

await test("tables", async () => {
	const page = await show(context, "kinds.zarr", "/wide?as=table");
	await rowsOf(page).first().waitFor();
	const row = await rowsOf(page).first().boundingBox();
	check("table: a number is on one line", row.height < 60, row.height);
	const alignments = (p) => p.locator("#main table tr:has(td), #main thead tr").evaluateAll((rows) =>
		[0, 1, 2].map((i) => rows.slice(0, i + 1).pop()).map((r) => [...r.cells].slice(1, 3).map((c) => getComputedStyle(c).textAlign.replace("start", "left")).join()));
	equal("table: numbers and their heads are at the right", await alignments(page), ["right,right", "right,right", "right,right"]);
	await done(page, "table");
	const strings = await show(context, "strings.zarr", "/names");
	await rowsOf(strings).first().waitFor();
	equal("table: the text 0 is at the left", await alignments(strings), ["left", "left", "left"]);
	const long = await rowsOf(strings).nth(8).boundingBox();
	check("table: a long text has several lines", long.height > 40 && long.height < 120, long.height);
	await done(strings, "strings");
});

await test("records", async () => {
	const table = npy("records.table"), view = new DataView(table.data.buffer);
	const page = await show(context, "records.zarr", "/table");
	await rowsOf(page).first().waitFor();
	equal("records: fields", (await page.locator("#main table th").allInnerTexts()).slice(1), ["id", "value", "name"]);
	const rows = await rowsOf(page).evaluateAll((all) => all.map((r) => [...r.cells].slice(1).map((c) => c.textContent)));
	equal("records: rows", rows.map((r) => [Number(r[0]), Number(r[1])]), Array.from({ length: 100 }, (_, i) => [view.getInt32(i * 20, true), view.getFloat64(i * 20 + 4, true)]));
	check("records: names", rows.every((r, i) => r[2] === `n${i}`), rows[3]);
	await shot(page, "records");
	await done(page, "records");
});

// ---- chunks and their health ----

await test("damaged", async () => {
	const a = npy("damaged.a");
	const page = await show(context, "damaged.zarr", "/a?range=-2,2&fit=1");
	await ready(page);
	check("damaged: a note names the chunk", /a\/c\/1\/1|c\/1\/1/.test(await main(page).innerText()), (await main(page).innerText()).slice(-400));
	const odd = (y, x) => y >= 128 && y < 192 && x >= 128 && x < 192;
	const g = await geometry(page), got = await pixels(page, [[g.px(160), g.py(160)]], g.scale);
	check("a chunk that is not stored has a colour of its own", ![MAPS.viridis.missing, colourOf(MAPS.viridis, -1, [-2, 2])].some((c) => String(c) === String(got[0])), got);
	await samePicture(page, "damaged", 256, 256, (y, x) => (odd(y, x) ? got[0] : colourOf(MAPS.viridis, at(a, y, x), [-2, 2])));
	const middles = Array.from({ length: 16 }, (_, k) => [g.px((k % 4) * 64 + 32.5), g.py(Math.floor(k / 4) * 64 + 32.5)]);
	const plain = await pixels(page, middles, g.scale);
	await field(page, "Chunks").selectOption("state");
	await until(async () => String(await pixels(page, middles, g.scale)) !== String(plain));
	const over = await pixels(page, middles, g.scale);
	equal("overlay: missing and damaged chunks are coloured, others are not", over.flatMap((c, k) => (String(c) !== String(plain[k]) ? [k] : [])), [5, 10]);
	check("overlay: damaged is red", over[5][0] > 150 && over[5][1] < 130, over[5]);
	check("overlay: the chunk under the pointer is damaged", /damaged/.test(await readAt(page, 90, 90)) && /1\/1/.test(await readAt(page, 90, 90)), await readAt(page, 90, 90));
	check("overlay: not stored", /not stored/.test(await readAt(page, 150, 150)), await readAt(page, 150, 150));
	await shot(page, "damaged");
	for (const kind of ["bytes", "ratio", "grid"]) {
		const before = await pixels(page, middles, g.scale);
		await field(page, "Chunks").selectOption(kind);
		await until(async () => String(await pixels(page, middles, g.scale)) !== String(before), 4000);
		const now = await pixels(page, middles, g.scale);
		const changed = now.filter((c, k) => String(c) !== String(plain[k])).length;
		check(`overlay ${kind}: ${changed} chunks are coloured`, kind === "grid" ? changed === 0 : changed >= 14);
		if (kind === "bytes") {
			const stored = zinc("chunks", "damaged.zarr/a").chunks.find((c) => String(c.index) === "0,3");
			check("overlay: the bytes of a chunk", /\d B|\d KB/.test(await readAt(page, 20, 220)) && stored.bytes > 0, await readAt(page, 20, 220));
		}
	}
	await accessible(page, "damaged");
	await done(page, "damaged");
});

await test("shards decoded whole", async () => {
	const bytes = { name: "bytes", configuration: { endian: "little" } };
	const codecs = [{ name: "cast_value", configuration: { data_type: "int16" } }, { name: "sharding_indexed",
		configuration: { chunk_shape: [4, 4], codecs: [bytes], index_codecs: [bytes] } }];
	for (const args of [["whole.zarr", "--group"], ["whole.zarr/a", "--shape", "16,16", "--dtype", "int32", "--chunks", "8,8", "--codecs", JSON.stringify(codecs)]])
		execFileSync(ZINC, ["create", ...args, "--overwrite"], { cwd: DATA });
	const page = await show(context, "whole.zarr", "/a?over=bytes");
	await ready(page);
	check("whole: a note, as the shards are listed and not their chunks", /not drawn/.test(await main(page).innerText()), await main(page).innerText());
	await done(page, "whole");
});

await full("shards", async () => {
	const page = await show(context, "microscopy.zarr", "/0?at=0,3,0,0&over=bytes&fit=1");
	await ready(page);
	await until(async () => /at byte \d+/.test(await readAt(page, 100, 100)), 5000);
	check("shards: the place inside the shard", /at byte \d+/.test(await readAt(page, 100, 100)), await readAt(page, 100, 100));
	await shot(page, "shards");
	await done(page, "shards");
});

// ---- deep links, exports, change ----

await test("deep links", async () => {
	const page = await show(context, "climate.zarr", "/t2m?at=4,0,0&cmap=cividis&range=266,280&box=10,90,5,45&over=grid");
	await ready(page);
	await sleep(300);
	const picture = () => page.locator("canvas.plot").evaluate((c) => c.toDataURL());
	const before = await picture();
	await page.reload();
	await ready(page);
	await until(async () => (await picture()) === before, 4000);
	check("a reload gives the same picture", (await picture()) === before);
	await page.getByRole("treeitem", { name: /wind/ }).click();
	await until(() => page.url().includes("#/wind"));
	await ready(page);
	await page.goBack();
	await until(() => page.url().includes("#/t2m"));
	await ready(page);
	await until(async () => (await picture()) === before, 4000);
	check("back gives the same picture", (await picture()) === before);
	await page.goForward();
	await until(() => page.url().includes("#/wind"));
	await page.getByLabel(/^heat map of \/wind$/i).waitFor();
	check("forward works", true);
	await done(page, "deep links");
});

await test("exports", async () => {
	const t2m = npy("climate.t2m"), packed = npy("climate.packed");
	const page = await show(context, "climate.zarr", "/t2m?at=4,0,0&box=10,60,5,35&fit=1");
	await ready(page);
	const png = await exportAs(page, /png/i);
	const size = await page.locator("canvas.plot").evaluate((c) => [c.width, c.height]);
	equal("PNG: a picture of the same size", [png.toString("latin1", 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)], ["PNG", ...size]);
	const same = await page.evaluate(async ([base64]) => {
		const c = document.querySelector("canvas.plot"), now = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
		const bytes = Uint8Array.from(atob(base64), (x) => x.charCodeAt(0));
		const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
		const o = new OffscreenCanvas(c.width, c.height).getContext("2d");
		o.drawImage(image, 0, 0);
		return o.getImageData(0, 0, c.width, c.height).data.every((v, i) => v === now[i]);
	}, [png.toString("base64")]);
	check("PNG: the same pixels", same);
	const file = parseNpy(await exportAs(page, /npy/));
	const cut = (a) => Array.from({ length: 30 * 50 }, (_, k) => at(a, 4, 5 + Math.floor(k / 50), 10 + (k % 50)));
	equal("npy: shape", file.shape, [30, 50]);
	check("npy: the stored or decoded numbers", [packed, t2m].some((a) => String(cut(a)) === String([...file.data])), [...file.data].slice(0, 3));
	const rows = (await exportAs(page, /csv/i)).toString().trim().split("\n").map((r) => r.split(",").map((v) => (v === "" ? NaN : Number(v))));
	equal("CSV: shape", [rows.length, rows[0].length], [30, 50]);
	check("CSV: the decoded numbers", String(rows.flat()) === String(cut(t2m)), `${rows[0].slice(0, 3)}, not ${cut(t2m).slice(0, 3)}`);
	page.expected.push(/413/);
	await page.route("**/api/slice?*", (route) => route.fulfill({ status: 413, body: "the answer would be too large\n" }));
	await page.locator("details.menu").getByRole("button", { name: "csv" }).click();
	await page.getByText("the answer would be too large").waitFor();
	check("a failed export says why", true);
	await page.unroute("**/api/slice?*");
	await page.locator("details.menu").evaluate((d) => (d.open = true));
	for (const name of ["Neuroglancer", "vizarr"]) {
		const link = page.getByRole("link", { name: new RegExp(name, "i") });
		await link.evaluate((a) => { a.target = ""; a.addEventListener("click", (e) => e.preventDefault()); a.click(); });
		const href = decodeURIComponent(await link.evaluate((a) => a.href));
		check(`a link to ${name}`, href.startsWith("https://") && href.includes(`${(await serverOf("climate.zarr")).url}v3`), href);
	}
	await done(page, "exports");
});

await test("exports of channels", async () => {
	const level = npy("microscopy.0");
	const page = await show(context, "microscopy.zarr", "/0?at=0,3,0,0&box=10,20,30,35");
	await ready(page);
	const file = parseNpy(await exportAs(page, /npy/));
	equal("npy: all channels", file.shape, [3, 5, 10]);
	const want = Array.from({ length: 150 }, (_, k) => at(level, Math.floor(k / 50), 3, 30 + (Math.floor(k / 10) % 5), 10 + (k % 10)));
	equal("npy: their numbers", [...file.data], want);
	const rows = (await exportAs(page, /csv/)).toString().trim().split("\n");
	check("CSV: all channels", rows.length === 15 || rows.length === 16, rows.length);
	await go(page, "/0?at=1,3,0,0&box=10,20,30,35&mix=0");
	equal("npy: one channel", parseNpy(await exportAs(page, /npy/)).shape, [5, 10]);
	await done(page, "exports of channels");
});

await test("change", async () => {
	rmSync(join(DATA, "changing.zarr"), { recursive: true, force: true });
	cpSync(join(DATA, "climate.zarr"), join(DATA, "changing.zarr"), { recursive: true });
	const page = await show(context, "changing.zarr", "/wind?at=2,0,0&range=-2,3");
	await ready(page);
	const before = numberIn(await readAt(page, 40, 40));
	await page.getByLabel("Reload on change").check();
	await sleep(500);
	execFileSync(PYTHON, ["-c", "import zarr; zarr.open_array('changing.zarr/wind')[2] = 2.5"], { cwd: DATA });
	await until(async () => numberIn(await readAt(page, 40, 40)) === 2.5, 12000);
	equal("change: the new value", [numberIn(await readAt(page, 40, 40)), before !== 2.5], [2.5, true]);
	await samePicture(page, "change", 144, 72, () => colourOf(MAPS.viridis, 2.5, [-2, 3]));
	execFileSync(PYTHON, ["-c", "import zarr; zarr.open_array('changing.zarr/wind')[2] = 1.5"], { cwd: DATA });
	equal("change: under a still pointer", await until(async () => numberIn(await said(page)) === 1.5, 12000), true);
	await done(page, "change");
	await (await serverOf("changing.zarr")).stop();
});

await test("change of metadata", async () => {
	const python = (code) => execFileSync(PYTHON, ["-c", `import zarr, numpy as np; ${code}`], { cwd: DATA });
	rmSync(join(DATA, "edited.zarr"), { recursive: true, force: true });
	python("g = zarr.create_group('edited.zarr'); a = g.create_array('a', shape=(40, 50), dtype='f8', chunks=(10, 10), attributes={'units': 'K'}); a[...] = 1");
	const page = await show(context, "edited.zarr", "/a");
	await ready(page);
	await page.getByText("Stored").first().waitFor();
	const facts = () => main(page).locator("dl").innerText();
	const edit = async (name, code, text) => {
		python(code);
		check(`${name}: the facts`, await until(async () => (await facts()).includes(text), 15000), await facts());
		await ready(page);
	};
	await edit("grown", "a = zarr.open_array('edited.zarr/a'); a.resize((60, 80)); a[...] = 2; a.attrs['units'] = 'degC'", "60 × 80");
	await ready(page);
	check("grown: the picture", (await geometry(page)).x1 === 80 && (await geometry(page)).y1 === 60, JSON.stringify(await geometry(page)));
	check("grown: value and units", /^2 degC/.test(await readAt(page, 55, 75)), await said(page));
	await edit("shrunk", "a = zarr.open_array('edited.zarr/a'); a.resize((20, 25)); a[...] = 3", "20 × 25");
	check("shrunk: a value", /^3 degC/.test(await readAt(page, 5, 5)), await said(page));
	equal("shrunk: nothing is wrong", await page.locator(".bad").allInnerTexts(), []);
	python("zarr.open_group('edited.zarr').create_array('new', shape=(4,), dtype='f4')");
	await page.getByRole("treeitem", { name: /new/ }).waitFor();
	check("a new array is in the tree", true);
	page.expected.push(/404/);
	rmSync(join(DATA, "edited.zarr/a"), { recursive: true });
	await page.getByText("There is no node /a.").waitFor();
	check("a deleted array: it says so", true);
	equal("a deleted array is not in the tree", await page.getByRole("treeitem", { name: /20×25/ }).count(), 0);
	await done(page, "change of metadata");
	await (await serverOf("edited.zarr")).stop();
});

// ---- hostile names ----

await test("odd names", async () => {
	const page = await show(context, "odd.zarr");
	for (const name of json("odd")) {
		await page.getByRole("treeitem").filter({ has: page.getByText(name, { exact: true }) }).click();
		await page.locator("canvas.plot[aria-label$=" + JSON.stringify(` of /${name}`) + "]").waitFor();
		await ready(page);
		check(`odd names: ${name}`, numberIn(await readAt(page, 1, 2)) === 6, await readAt(page, 1, 2));
		await page.reload();
		await page.locator("canvas.plot[aria-label$=" + JSON.stringify(` of /${name}`) + "]").waitFor();
		check(`odd names: the link of ${name}`, true);
	}
	for (const t of await page.getByRole("tab").all()) {
		await t.click();
		await sleep(200);
	}
	equal("odd names: no element of theirs", await page.locator("img").count(), 0);
	await shot(page, "odd");
	await done(page, "odd names");
});

await test("names that are no text", async () => {
	const page = await show(context, "odd-names.zarr", "/a");
	await ready(page);
	check("no attribute of the page is theirs", (await page.locator(".evil, [onclick], [style*=fixed]").count()) === 0);
	check("no name is [object Object]", !/\[object/.test(await page.locator("body").innerText()));
	check("nor where a value is read", !/\[object/.test(await readAt(page, 1, 2)) && /^1 /.test(await said(page)), await said(page));
	check("nor in the picture", !(await textsOf(page)).some((t) => /\[object/.test(t)));
	equal("their code did not run", await page.evaluate(() => window.pwned), undefined);
	await done(page, "names that are no text");
});

// ---- the other tabs ----

await test("metadata", async () => {
	const page = await show(context, "climate.zarr", "/t2m");
	await openTab(page, "metadata");
	await page.getByText("scale_factor").waitFor();
	const text = await main(page).innerText();
	for (const part of ["0.01", "273.15", '"2 metre temperature"', "zstd", "int16", "24", "144"]) check(`metadata: ${part}`, text.includes(part));
	await shot(page, "metadata");
	await go(page, "/t2m");
	const facts = await main(page).locator("dl").innerText();
	await page.reload();
	await page.locator("dt", { hasText: "Ratio" }).waitFor();
	check("facts: stored bytes of the first node", /Stored\s+[\d.]+ KB/.test(await main(page).locator("dl").innerText()), await main(page).locator("dl").innerText());
	check("facts: dimension names", /time\s?=?\s?24 × lat\s?=?\s?72 × lon\s?=?\s?144/.test(facts.replace(/\s+/g, " ")), facts);
	await done(page, "metadata");
});

await test("conventions", async () => {
	const page = await show(context, "microscopy.zarr", "/");
	await openTab(page, "check");
	await main(page).getByText(/OME-Zarr/).first().waitFor();
	const text = await main(page).innerText();
	check("conventions: OME-Zarr 0.5, valid", /0\.5/.test(text) && /\bvalid\b/.test(text) && !/not valid/.test(text), text.slice(0, 500));
	await shot(page, "conventions");
	await done(page, "conventions");
});

await test("check", async () => {
	const page = await show(context, "damaged.zarr", "/a");
	await openTab(page, "check");
	await page.getByRole("button", { name: "Check every chunk" }).click();
	await page.getByText(/\d+ errors?/).first().waitFor();
	const text = await main(page).innerText(), found = JSON.parse(execFindings("damaged.zarr/a"));
	check("check: as many errors as `zinc validate` finds", text.includes(`${found.errors} error`), text.slice(-500));
	check("check: the key of the damaged chunk", /c\/1\/1/.test(text), text.slice(-500));
	await shot(page, "check");
	await accessible(page, "check");
	const other = await show(context, "climate.zarr", "/");
	await openTab(other, "check");
	await other.getByRole("button", { name: "Check metadata only" }).click();
	await other.getByText(/Nothing is wrong|0 errors, 0 warnings/).waitFor();
	check("check: nothing is wrong", true);
	await done(other, "check");
	await done(page, "check");
});

function execFindings(url) {
	try {
		return execFileSync(ZINC, ["validate", url, "--json"], { cwd: DATA });
	} catch (e) {
		return e.stdout; // it ends with 1 when it finds something
	}
}

await full("progress", async () => {
	const page = await show(context, "huge.zarr", "/a");
	await openTab(page, "check");
	await page.getByRole("button", { name: "Check every chunk" }).click();
	await page.getByRole("progressbar").waitFor();
	const seen = await until(async () => asked(page, "progress").length > 0, 8000);
	check("check: progress is asked for", seen);
	await page.getByText(/Nothing is wrong|\d+ errors?/).first().waitFor({ timeout: 90000 });
	check("check: 10¹⁰ elements", /Nothing is wrong|0 errors, 0 warnings/.test(await main(page).innerText()), (await main(page).innerText()).slice(-300));
	await done(page, "progress");
});

// ---- looks and access ----

const VIEWS = [["climate.zarr", "/"], ["climate.zarr", "/t2m"], ["climate.zarr", "/t2m", "metadata"], ["climate.zarr", "/t2m", "check"],
	["climate.zarr", "/time"], ["microscopy.zarr", "/"], ["microscopy.zarr", "/", "check"], ["strings.zarr", "/names"],
	["records.zarr", "/table"], ["damaged.zarr", "/a?over=state"], ["kinds.zarr", "/rgb"], ["huge.zarr", "/a"]];
const fileName = (name, link, tab) => `${name.replace(".zarr", "")}${link.replace(/[^a-z0-9]+/gi, "-").replace(/-$/, "")}${tab ? `-${tab}` : ""}`;

// A view, once what it reads has arrived
async function settled(name, link, tab) {
	const page = await show(context, name, link);
	await page.locator("#pane").waitFor();
	if (tab) await openTab(page, tab);
	await page.waitForLoadState("networkidle");
	await sleep(300);
	return page;
}

for (const scheme of ["light", "dark"])
	await test(`axe-core, ${scheme}`, async () => {
		for (const [name, link, tab] of QUICK ? VIEWS.slice(1, 3) : VIEWS) {
			const page = await settled(name, link, tab), view = `${scheme} ${name} ${link} ${tab ?? ""}`;
			await page.emulateMedia({ colorScheme: scheme });
			await sleep(400);
			await accessible(page, view);
			const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
			check(`${view}: the background`, scheme === "dark" ? paper[0] < 70 : paper[0] > 200, paper);
			if (await page.locator("canvas.plot").count()) {
				const [edge] = await pixels(page, [[2, 2]]);
				check(`${view}: the background of the picture`, scheme === "dark" ? edge[0] < 70 : edge[0] > 200, edge);
			}
			await shot(page, `${scheme}-${fileName(name, link, tab)}`);
			await done(page, view);
		}
	});

await test("phone", async () => {
	for (const [name, link, tab] of QUICK ? VIEWS.slice(0, 3) : VIEWS) {
		const page = await settled(name, link, tab);
		await page.setViewportSize({ width: 375, height: 740 });
		await sleep(500);
		const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
		check(`phone ${name} ${link}: no horizontal scroll`, wide[0] <= wide[1], wide);
		await shot(page, `phone-${fileName(name, link, tab)}`);
		if (link === "/t2m" && !tab) {
			await ready(page);
			check("phone: a picture of some size", (await geometry(page)).w > 150 && (await geometry(page)).h > 150, JSON.stringify(await geometry(page)));
			const tree = page.getByRole("button", { name: "Tree" }), side = page.getByRole("searchbox");
			check("phone: the name of the store", (await page.locator("#where").evaluate((e) => e.scrollWidth <= e.clientWidth)));
			await tree.click();
			equal("phone: the drawer is open", [await tree.getAttribute("aria-expanded"), await side.isVisible()], ["true", true]);
			await page.keyboard.press("Escape");
			equal("phone: Escape closes it", [await tree.getAttribute("aria-expanded"), await side.isVisible()], ["false", false]);
			await tree.click();
			await page.getByRole("treeitem", { name: /wind/ }).click();
			await page.getByLabel(/^heat map of \/wind$/i).waitFor();
			check("phone: the drawer opens a node", true);
			await accessible(page, "phone");
		}
		await done(page, `phone ${name} ${link}`);
	}
});

await test("keyboard", async () => {
	const wind = npy("climate.wind");
	const page = await show(context, "climate.zarr");
	await page.keyboard.press("/");
	await page.keyboard.type("win");
	await page.keyboard.press("Tab");
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("Enter");
	await page.getByLabel(/^heat map of \/wind$/i).waitFor();
	await ready(page);
	check("keyboard: search and open", page.url().includes("#/wind"), page.url());
	// Tab must reach the picture, and every stop on the way must be seen
	let reached = false, unseen = [];
	for (let k = 0; k < 60 && !reached; k++) {
		await page.keyboard.press("Tab");
		const now = await page.evaluate(() => {
			const e = document.activeElement, s = getComputedStyle(e);
			return { plot: e.matches("canvas.plot"), name: e.outerHTML.slice(0, 80), ring: s.outlineStyle !== "none" || s.boxShadow !== "none" };
		});
		reached = now.plot;
		if (!now.ring) unseen.push(now.name);
	}
	check("keyboard: Tab reaches the picture", reached);
	equal("keyboard: the focus is always visible", unseen, []);
	const before = await geometry(page);
	await page.keyboard.press("+");
	await sleep(300);
	await ready(page);
	const near = await geometry(page);
	check("keyboard: + zooms in", near.x1 - near.x0 < before.x1 - before.x0);
	await page.keyboard.press("ArrowRight");
	await sleep(100);
	check("keyboard: an arrow moves the view", (await geometry(page)).x0 > near.x0);
	await page.keyboard.press("0");
	await sleep(400);
	await ready(page);
	equal("keyboard: 0 shows all", (await geometry(page)).x1 - (await geometry(page)).x0, before.x1 - before.x0);
	await page.keyboard.press("Shift+ArrowRight");
	await page.keyboard.press("Shift+ArrowDown");
	const text = (await page.locator("#readout").innerText()).replace(/\s+/g, " "), [y, x] = [/lat\[(\d+)\]/, /lon\[(\d+)\]/].map((r) => Number(r.exec(text)?.[1]));
	check("keyboard: Shift and arrows read a value", Math.fround(numberIn(text)) === at(wind, 0, y, x), text);
	await page.keyboard.press("]");
	await until(async () => (await sliderOf(page, "time").index.inputValue()) === "1");
	equal("keyboard: ] is the next step", await sliderOf(page, "time").index.inputValue(), "1");
	await page.keyboard.press("c");
	await until(async () => (await field(page, "Chunks").inputValue()) === "grid");
	equal("keyboard: c shows the chunks", await field(page, "Chunks").inputValue(), "grid");
	await page.keyboard.press("h");
	await page.locator("#pane figure canvas").waitFor();
	await page.keyboard.press("?");
	check("keyboard: ? opens the list", await page.getByRole("dialog").isVisible());
	await accessible(page, "keyboard help");
	await page.keyboard.press("Escape");
	check("keyboard: Escape closes it", !(await page.getByRole("dialog").isVisible()));
	await page.keyboard.press("2");
	await page.getByText("Attributes").first().waitFor();
	check("keyboard: 2 is the second tab", /tab=metadata/i.test(page.url()), page.url());
	await done(page, "keyboard");
});

await test("focus", async () => {
	const page = await show(context, "climate.zarr", "/t2m");
	await ready(page);
	const focused = () => page.evaluate(() => document.activeElement.outerHTML.slice(0, 90));
	const kept = async (name, element, act) => {
		await element.focus();
		const before = await focused();
		await stale(page);
		await act();
		await ready(page);
		equal(`focus: ${name}`, await focused(), before);
	};
	for (const name of ["Colours", "Chunks", "Rows"]) await kept(name, field(page, name), () => page.keyboard.press("ArrowDown"));
	await kept("Decode", page.getByLabel("Decode"), () => page.keyboard.press("Space"));
	await kept("All", page.getByRole("button", { name: "All" }), () => page.keyboard.press("Enter"));
	const box = page.getByRole("textbox", { name: /low/i });
	await box.focus();
	await page.keyboard.type("250,300");
	await page.keyboard.press("Enter");
	await until(async () => (await geometry(page)).range.join() === "250,300");
	check("focus: the range", /Range, low and high/.test(await focused()), await focused());
	await page.keyboard.press("End");
	await page.keyboard.type("5");
	await page.keyboard.press("Tab");
	await until(async () => (await geometry(page)).range.join() === "250,3005");
	check("focus: Tab goes to what is next", /<select/.test(await focused()), await focused());
	equal("focus: and that are the chunks", await page.evaluate(() => document.activeElement.parentElement.innerText.split(/\s/)[0]), "Chunks");
	const url = page.url();
	await page.keyboard.press("p");
	await page.keyboard.press("h");
	await sleep(200);
	equal("focus: letters belong to a list", [page.url(), await page.locator("#pane figure").count()], [url, 0]);
	const tab = page.getByRole("tab", { name: /check/i });
	await tab.focus();
	await page.keyboard.press("Enter");
	await page.getByRole("button", { name: /every chunk/ }).waitFor();
	equal("focus: the tab", await page.evaluate(() => document.activeElement.innerText), "Check");
	await done(page, "focus");
});

await test("slider row", async () => {
	const page = await show(context, "climate.zarr", "/t2m");
	await page.setViewportSize({ width: 826, height: 800 });
	await ready(page);
	const label = await sliderOf(page, "time").row.locator("output").boundingBox();
	check("slider: its value is on one line", label.height < 30, label.height);
	equal("range: what to write", await page.getByRole("textbox", { name: /low/i }).getAttribute("placeholder"), "low,high");
	await done(page, "slider row");
});

await stopAll();
await close();
report();
