/*
 * heat.js - the picture on a canvas: heat map or, of one dimension, line; with chunks, axes and colour bar
 *
 * It asks for at most one cell for each pixel.  Axis 0 goes across, axis 1 down, or up with a negative length.
 */
import {abs, address, ask, brief, bytes, ceil, clamp, count, digits, floor, gestures, h, later, max, min,
	numbers, plain, plural, ratio, round, sizes, state, ticks, unpack} from './base.js';
import {selection, settings, where} from './source.js';

/* Base64 of red, green and blue: the colours, that of missing values, that of the fill value */
const maps = {
	__proto__: null,
	viridis: 'RAFURw1gSBhqSCN0Ry17RTaBQkCGP0mJO1KLN1qNM2ONL2qOLHKOKXqOJoGOI4mOIZCMH5iLH5+IIaaFKK6AMbV7Prx0TMJsXcljbs5YgtNMltg/q9wywN8k1eIa6uUa/ecluLi44F/Q',
	magma: 'AAAEAwMRCggiEw0zHRFGKBFaNhBqQw92UBJ8XRd/aRyBdiGBgiaBjyqBnC5/qTJ9tjd5wzt1z0Fw20hq5lFj7lxe9Wlc+Xhd+4dh/ZZo/qVx/rR7/sOH/tGU/eCi/O6w/P2/f5+PP6f/',
	cividis: 'ACJOAChbAC5qBDNxGjhvJz5uMkNtO0lsQ05sS1RsUlltWl9uYWVvaGpxb3BzdXZ2fHt4hIF5i4d4k414m5N2o5p1q6Bys6Zwu61sw7RpzLpk1MFf3clY5tBR79dI+N88/ug4yDw84F/Q',
	grey: 'AAAA////yDw8P6f/',
	balance: 'DxpKHD+VL2+9b6XUs9Dm9PT078Cw3YpzxFE/mCArTQodb49v4MAg',
};

export const mapNames = Object.fromEntries(Object.keys(maps).map((name) => [name, name]));
const rgb = (hex) => hex.match(/../g).map((part) => parseInt(part, 16)),
	pixel = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0,
	byte = (v) => min(255, floor(v + 0.5));

function colourMap(name) {
	const points = [...unpack(maps[name] || maps.viridis)], last = points.length / 3 - 3;
	const levels = Array.from({length: 256}, (_, level) => {
		const at = level / 255 * last, i = min(floor(at), last - 1);
		return [0, 1, 2].map((c) => byte(points[3 * i + c] + (points[3 * i + 3 + c] - points[3 * i + c]) * (at - i)));
	});
	return {levels, pixels: levels.map(pixel), missing: points.slice(-6, -3), fill: points.slice(-3), symmetric: name === 'balance'};
}

/* "2,98%", as numpy.percentile, or "lo,hi"; null without numbers */
function rangeOf(cells, stretch, symmetric) {
	const ends = stretch.split(',').map(parseFloat);
	if (!stretch.endsWith('%'))
		return ends;
	const sorted = cells.filter(Number.isFinite).sort(), range = ends.map((p) => {
		const at = p / 100 * (sorted.length - 1), i = floor(at), part = at - i;
		return part ? sorted[i] * (1 - part) + sorted[i + 1] * part : sorted[i];
	});
	const end = max(...range.map(abs));
	return !sorted.length ? null : symmetric ? [-end, end] : range;
}

function paint(cells, [lo, hi], map, fill) {
	const missing = pixel(map.missing), unset = pixel(map.fill);
	return Uint32Array.from(cells, (v) => !Number.isFinite(v) ? missing : v === fill ? unset
		: map.pixels[hi > lo ? clamp(floor((v - lo) / (hi - lo) * 256), 0, 255) : 128]);
}

function compose(channels, missing) {
	return Uint32Array.from(channels[0].data, (_, i) => {
		const sum = [0, 0, 0];
		for (const {data, range: [lo, hi], rgb} of channels)
			rgb.forEach((part, k) => sum[k] += part * clamp((data[i] - lo) / (hi - lo), 0, 1));
		return pixel(isNaN(sum[0]) ? missing : sum.map(byte));
	});
}

/* `colour` is text or [r, g, b]. */
function block(c, colour, ...at) {
	c.fillStyle = colour.map ? `rgb(${colour})` : colour;
	c.fillRect(...at);
}

const probe = document.body.appendChild(h('i', {hidden: ''}));

function ink(name) {
	probe.style.color = `var(--${name})`;
	return getComputedStyle(probe).color;
}

function prepare(canvas, height, right = 16) {
	const scale = devicePixelRatio, w = canvas.parentElement.clientWidth, c = canvas.getContext('2d');
	canvas.width = round(w * scale);
	canvas.height = round(height * scale);
	canvas.style.height = `${height}px`;
	c.scale(scale, scale);
	c.font = '11px system-ui, sans-serif';
	return {c, w, h: height, scale, box: {x: 74, y: 10, w: max(40, w - 74 - right), h: height - 54}};
}

/* Labels are [pixel, text]. */
const distinct = (marks) => marks.filter(([, text], i) => text !== marks[i - 1]?.[1]);
const labels = (lo, hi, n, place) => distinct(ticks(lo, hi, n).map((v) => [place(v), brief(v, 17)])),
	elements = (coordinate, from, to, n, place) => distinct(ticks(max(0, ceil(from)), ceil(to) - 1, n)
	.filter(Number.isInteger).map((k) => {
		const v = coordinate?.at(k) ?? k;
		return [place(k + 0.5), typeof v === 'number' ? brief(v, 9) : v];
	}));

function frame(c, b, xs, ys, xName, yName) {
	const bottom = b.y + b.h;
	let free = 0;
	c.lineWidth = 1;
	c.strokeStyle = ink('line');
	c.fillStyle = ink('quiet');
	c.strokeRect(b.x - 0.5, b.y - 0.5, b.w + 1, b.h + 1);
	c.textAlign = 'center';
	c.textBaseline = 'middle';
	for (const [x, text] of xs) {
		const half = c.measureText(text).width / 2;
		if (x - half < free || x < b.x || x > b.x + b.w)
			continue;
		free = x + half + 8;
		c.fillRect(x, bottom, 1, 4);
		c.fillText(text, x, bottom + 12);
	}
	c.fillText(xName, b.x + b.w / 2, bottom + 28);
	c.save();
	c.translate(8, b.y + b.h / 2);
	c.rotate(-Math.PI / 2);
	c.fillText(yName, 0, 0, b.h);
	c.restore();
	c.textAlign = 'right';
	for (const [y, text] of ys)
		if (y >= b.y && y <= bottom) {
			c.fillRect(b.x - 4, y, 4, 1);
			c.fillText(text, b.x - 7, y, b.x - 20);
		}
}

function series(reply) {
	const [mean, low, high] = [reply.cells, reply.cells_min, reply.cells_max].map(numbers),
		finite = [...low, ...high].filter(Number.isFinite), lo = min(...finite), hi = max(...finite), pad = (hi - lo || abs(lo) || 1) / 25;
	return {mean, low, high, lo: lo <= hi ? lo - pad : 0, hi: lo <= hi ? hi + pad : 1};
}

function trace(c, {mean, low, high}, px, py) {
	const wide = max(1, px(1) - px(0));
	c.fillStyle = ink('soft');
	c.strokeStyle = ink('accent');
	c.lineWidth = 1.5;
	c.beginPath();
	mean.forEach((v, i) => {
		c.fillRect(px(i) - wide / 2, py(high[i]), wide, py(low[i]) - py(high[i]));
		if (!(mean[i - 1] <= Infinity))
			c.moveTo(px(i) - 1, py(v));
		c.lineTo(px(i), py(v));
	});
	c.stroke();
}

function chart(box, title, [x0, x1], [y0, y1], names, marks, draw) {
	const canvas = h('canvas', {role: 'img', label: title});
	box.append(h('figure', h('figcaption', title), canvas));
	const {c, box: b} = prepare(canvas, 190),
		px = (v) => b.x + (x1 > x0 ? (v - x0) / (x1 - x0) : 0.5) * b.w, py = (v) => b.y + (y1 - v) / (y1 - y0) * b.h;
	draw(c, px, py);
	frame(c, b, marks(b.w / 90, px), labels(y0, y1, 4, py), ...names);
}

export function profile(box, title, reply, span, coordinate, ...names) {
	const s = series(reply), [from, to] = span, n = s.mean.length;
	chart(box, title, span, [s.lo, s.hi], names, (k, px) => elements(coordinate, from, to, k, px),
		(c, px, py) => trace(c, s, (i) => px(from + (i + 0.5) / n * (to - from)), py));
}

export function histogram(box, title, {edges, values}, xName) {
	const ends = [edges[0], edges.at(-1)], most = max(1, ...values);
	chart(box, title, ends, [0, most], [xName, 'elements'], (k, px) => labels(...ends, k, px), (c, px, py) => values.forEach((v, i) =>
		block(c, ink('accent'), px(edges[i]), py(v), max(1, px(edges[i + 1]) - px(edges[i]) - 1), py(0) - py(v))));
}

const magma = colourMap('magma').levels, MOST = 20000; /* chunks that are drawn */

export const overlays = {off: 'off', grid: 'grid', bytes: 'stored bytes', ratio: 'ratio', state: 'missing, damaged'};

/* `on`: note([[text, class] ...]), say(value, place, chunk), changed(). */
export function picture(src, on) {
	const {names, coords, units, type, factor, levels, time} = src, line = src.shape.length < 2;
	const canvas = h('canvas', {class: 'plot', tabindex: 0, role: 'application', onkeydown: key,
		label: `${line ? 'line plot' : 'heat map'} of ${src.node.path}`});
	let set, space, box, square, axes, view, tile, overlay = {}, cursor, map, range, fill, curve, turn, last, abort;
	const soon = later(load, 50),
		save = later(() => canvas.isConnected && state.set({box: view.flat().map((v) => Number(v.toFixed(3)))}, 'quiet'), 250),
		place = (at) => at.map((p, i) => view[i][0] + (p - axes[i].start) / axes[i].length * wide(i));
	gestures(canvas, {
		zoom: (f, at) => zoom(f, place(at)),
		pan: (by) => shift(by.map((p) => -p)),
		hover: (at) => axes && read(place(at)),
		click: (at) => point(place(at)),
	});

	function update() {
		abort?.abort();
		set = settings(src);
		const nx = src.shape[set.x], ny = src.shape[set.y], right = set.mixed || line ? 16 : 92, tall = clamp(innerHeight - 450, 220, 700);
		square = nx < 4 * ny && ny < 4 * nx && max(nx / (canvas.parentElement.clientWidth - 74 - right), ny / tall);
		space = prepare(canvas, max(160, square ? ny / square : tall) + 54, right);
		box = space.box;
		box.w = square ? nx / square : box.w;
		const up = coords[set.y]?.up, given = state.list('box'), [x0, x1, y0, y1] = given;
		axes = [{d: set.x, n: nx, start: box.x, length: box.w}, {d: set.y, n: ny || 1, start: up ? box.y + box.h : box.y, length: up ? -box.h : box.h}];
		view = x0 < x1 && y0 < y1 && given.every(Number.isFinite) ? [[x0, x1], [y0, y1]] : axes.map((a) => [0, a.n]);
		if (tile)
			colour();
		draw();
		again();
		soon();
	}
	const wide = (i) => view[i][1] - view[i][0], middle = () => view.map(([a, b]) => (a + b) / 2),
		pixel = (i, e) => axes[i].start + (e - view[i][0]) / wide(i) * axes[i].length;

	function look(next) {
		if (next.some(([a, b], i) => b <= 0 || a >= axes[i].n))
			return;
		view = [next[0], line ? [0, 1] : next[1]];
		draw();
		soon();
		save();
	}
	/* Of thin arrays the long axis alone, until elements are squares. */
	function zoom(f, at = middle()) {
		const dense = axes.map((a, i) => wide(i) / abs(a.length)), part = axes.map((a, i) => wide(i) / a.n),
			zooms = (i) => square || line || (f < 1 ? dense[i] > dense[1 - i] * 0.7 : part[i] < 0.99 || part[1 - i] >= 0.99);
		if (axes.some((_, i) => f < 1 ? wide(i) > 2 : part[i] < 4))
			look(view.map((v, i) => zooms(i) ? v.map((e) => at[i] + (e - at[i]) * f) : v));
	}
	const shift = (pixels) => look(view.map((v, i) => v.map((e) => e + pixels[i] / axes[i].length * wide(i))));
	function key(e) {
		const arrow = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[e.key], f = {'+': 1 / 1.5, '-': 1.5}[e.key];
		if (f)
			zoom(f);
		else if (e.key === '0')
			state.set({box: ''});
		else if (!arrow)
			return;
		else if (!e.shiftKey)
			shift(arrow.map((v) => v * 99));
		else if (tile)
			point(spot().map((v, i) => v + arrow[i] * Math.sign(axes[i].length) * ceil(tile.axes[i].n * tile.axes[i].f / tile.axes[i].cells)));
		e.preventDefault();
	}
	const whole = (at) => at.map((e, i) => clamp(floor(e), 0, axes[i].n - 1)), spot = () => cursor || whole(middle());
	function point(at) {
		cursor = whole(at);
		read(cursor);
		draw();
		on.changed();
	}

	/* The coarsest level with an element for each pixel */
	function level() {
		const each = max(1, wide(0) / box.w / space.scale) * 1.01, size = (k) => factor[k][set.x], fixed = parseInt(set.level);
		return factor[fixed] ? fixed : factor.reduce((best, _, k) => size(k) <= each && size(k) > size(best) ? k : best, 0);
	}
	/* In sight: for each dimension an index or [from, to] */
	function items(channel) {
		return set.at.map((at, d) => {
			const i = axes.findIndex((a) => a.d === d), n = axes[i]?.n;
			return n ? [clamp(floor(view[i][0]), 0, n - 1), clamp(ceil(view[i][1]), 1, n)] : channel && d === src.channels.d ? channel.i : at;
		});
	}
	/* From and to are of level 0; n elements of level k become cells. */
	function plan() {
		const k = level(), parts = selection(src, k, items()).split(',');
		return {k, path: levels[k].path, axes: axes.map(({d, length}, i) => {
			const [a, b] = (parts[d] || '0:1').split(':').map(Number), f = factor[k][d] || 1, n = b - a;
			return {f, from: a * f, to: b * f, n, cells: clamp(ceil(n * f / wide(i) * abs(length) * space.scale), 1, n)};
		})};
	}
	async function reply({k, path, axes: [{cells: cols}, {cells: rows}]}, channel, signal) {
		const turned = set.x < set.y, [width, height] = turned ? [rows, cols] : [cols, rows];
		const params = {path, s: selection(src, k, items(channel)), kind: line ? 'line' : 'heat', cf: set.scaled, width, height: !line && height,
			cells: 'base64', damaged: 'mark'};
		const link = address('plot', params), old = tile?.replies.find((r) => r.link === link);
		if (old)
			return old;
		const r = await ask('plot', params, signal), raw = numbers(r.cells);
		if (raw.length !== cols * rows)
			throw new Error('The array has changed: reload.');
		return {...r, link, data: turned ? raw.map((_, i) => raw[i % cols * width + floor(i / cols)]) : raw};
	}
	async function load() {
		abort?.abort();
		const {signal} = abort = new AbortController(), {channels} = set;
		canvas.dataset.ready = '';
		try {
			const next = plan(), replies = await Promise.all((channels.length ? channels : [0]).map((c) => reply(next, c, signal)));
			tile = {...next, set, replies, channels, data: replies[0].data, one: next.axes.every((a) => a.cells === a.n),
				damaged: replies.flatMap((r) => r.damaged || [])};
			colour();
			overlay = set.over === 'off' ? {} : await chunksInSight(signal).catch((e) => {
				signal.throwIfAborted();
				return {note: e.message};
			});
			draw();
			again();
			notes();
			canvas.dataset.ready = '1';
			on.changed();
		} catch (e) {
			if (signal.aborted)
				return;
			tile = range = curve = null;
			overlay = {};
			again();
			draw();
			on.note([[e.message, 'bad']]);
		}
	}

	function colour() {
		const {data, replies, channels} = tile, [cols, rows] = tile.axes.map((a) => a.cells), value = Number(plain(src.base.fill_value).replace('0x', 'bits'));
		fill = set.scaled || !value ? NaN : type === 'float32' ? Math.fround(value) : value;
		if (line)
			return void (curve = series(replies[0]));
		map = colourMap(set.map);
		range = rangeOf(data.filter((v) => v !== fill), set.stretch, map.symmetric);
		const pixels = !channels.length ? paint(data, range || [0, 1], map, fill) : compose(replies.map(({data}, i) =>
			({data, range: channels[i].window || rangeOf(data, '2,98%') || [0, 1], rgb: rgb(channels[i].colour)})), map.missing);
		tile.image = new OffscreenCanvas(cols, rows);
		tile.image.getContext('2d').putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer), cols, rows), 0, 0);
	}
	function notes() {
		const {damaged} = tile;
		on.note([
			damaged.length && [`Damaged, shown as missing: ${plural(damaged.length, 'chunk')}. ${damaged[0].key}: ${damaged[0].message}`, 'bad'],
			tile.replies[0].sampled && ['A sample of more than 256 MiB.', 'warn'],
			overlay.note && [overlay.note, 'warn'],
			!tile.one && fill && ['Means include the fill value.'],
		].filter(Boolean));
	}

	function draw() {
		const {c, w, h} = space, title = ({d}) => d < 0 ? units : names[d] + (coords[d]?.units ? ` [${coords[d].units}]` : ''),
			flip = Number(axes[1].length < 0);
		Object.assign(canvas.dataset, {frame: Object.values(box), view, flip, range: range || ''}); /* for tests */
		block(c, ink('paper'), 0, 0, w, h);
		c.save();
		c.beginPath();
		c.rect(box.x, box.y, box.w, box.h);
		c.clip();
		if (tile)
			cells(c, ...tile.axes);
		if (overlay.chunks)
			drawChunks(c, overlay);
		if (cursor) {
			block(c, ink('accent'), pixel(0, cursor[0] + 0.5), box.y, 1, box.h);
			block(c, ink('accent'), box.x, pixel(1, cursor[1] + 0.5), box.w, 1);
		}
		c.restore();
		frame(c, box, along(0), !line ? along(1) : curve ? labels(curve.lo, curve.hi, 6, up) : [], ...axes.map(title));
		if (range && !set.mixed)
			bar(c);
	}
	const up = (v) => box.y + (curve.hi - v) / (curve.hi - curve.lo) * box.h;
	function along(i) {
		const {d, n, length} = axes[i], [from, to] = view[i];
		return elements(coords[d], from, min(n, to), abs(length) / (i ? 60 : 90), (e) => pixel(i, e));
	}
	function cells(c, x, y) {
		if (line)
			return trace(c, curve, (i) => pixel(0, x.from + (i + 0.5) / x.cells * (x.to - x.from)), up);
		const left = pixel(0, x.from), top = pixel(1, y.from);
		c.save();
		c.imageSmoothingEnabled = false;
		c.translate(left, top);
		c.scale((pixel(0, x.to) - left) / x.cells, (pixel(1, y.to) - top) / y.cells);
		c.drawImage(tile.image, 0, 0);
		c.restore();
	}
	function bar(c) {
		const x = box.x + box.w + 14, [lo, hi] = range, tall = box.h - 44, below = box.y + tall + 14,
			more = [['missing', map.missing], ...Number.isFinite(fill) ? [['fill', map.fill]] : []];
		map.levels.forEach((rgb, i) => block(c, rgb, x, box.y + tall * (255 - i) / 256, 14, tall / 256 + 1));
		more.forEach(([, rgb], i) => block(c, rgb, x, below + 18 * i, 14, 12));
		c.fillStyle = ink('quiet');
		c.textAlign = 'left';
		for (const [y, text] of [...labels(lo, hi, min(5, tall / 30), (v) => box.y + (hi > lo ? (hi - v) / (hi - lo) : 0.5) * tall),
			...more.map(([text], i) => [below + 6 + 18 * i, text])])
			c.fillText(text, x + 18, y, 58);
	}

	/* Size: of a chunk along both axes, in elements of level 0. */
	async function chunksInSight(signal) {
		const {k, path, damaged} = tile, node = levels[k], along = (shape) => axes.map(({d}, i) => (shape[d] || 1) * tile.axes[i].f);
		if (node.chunk_grid?.name !== 'regular' || node.shard_shape && !node.codecs.every((c) => /^(trans|shard)/.test(c.name)))
			return {note: 'These chunks are not drawn.'};
		const size = along(node.chunk_shape), many = tile.axes.reduce((n, a, i) => n * ((a.to - a.from) / size[i] + 1), 1);
		if (many > MOST)
			return {note: `${count(round(many))} chunks are too many to draw.`};
		const {chunks} = set.over === 'grid' ? {chunks: []} : await ask('chunks', {path, s: selection(src, k, items())}, signal);
		for (const c of chunks) {
			c.ratio = c.bytes ? node.chunk_bytes / c.bytes : 0;
			c.bad = damaged.find((d) => `${d.chunk}` === `${c.index}`)?.message;
			c.at = axes.map(({d}) => c.index[d] || 0);
		}
		return {chunks, size, over: set.over, shards: node.shard_shape && along(node.shard_shape)};
	}
	function drawChunks(c, {chunks, size, over, shards}) {
		const of = over === 'ratio' ? 'ratio' : 'bytes', values = chunks.filter((k) => k.present).map((k) => k[of]),
			lo = min(...values), hi = max(...values), edge = (i, e) => pixel(i, min(e, axes[i].n));
		c.globalAlpha = 0.6;
		for (const k of chunks) {
			const [[x0, x1], [y0, y1]] = k.at.map((at, i) => [edge(i, at * size[i]), edge(i, (at + 1) * size[i])]);
			const colour = k.bad ? [229, 72, 77] : !k.present ? [139, 141, 152]
				: over !== 'state' && magma[hi > lo ? 40 + round((k[of] - lo) / (hi - lo) * 200) : 140];
			if (colour)
				block(c, colour, x0, y0, x1 - x0, y1 - y0);
		}
		for (const [step, width] of [[size, 1], [shards, 3]])
			step?.forEach((s, i) => {
				if (abs(pixel(i, s) - pixel(i, 0)) < 6)
					return;
				const from = edge(1 - i, 0), long = edge(1 - i, Infinity) - from;
				for (const [shade, w] of [[ink('paper'), width + 1], [ink('ink'), width]])
					for (let k = max(0, floor(view[i][0] / s)); k * s < min(view[i][1], axes[i].n); k++) {
						const p = edge(i, k * s) - w / 2;
						block(c, shade, ...i ? [from, p, long, w] : [p, from, w, long]);
					}
			});
		c.globalAlpha = 1;
	}
	function chunkAt(at) {
		const c = overlay.chunks?.find((k) => k.at.every((v, i) => v === floor(at[i] / overlay.size[i])));
		return c && `chunk ${c.key}${c.offset === null ? '' : ` at byte ${c.offset}`}: `
			+ (c.present ? `${bytes(c.bytes)}, ${ratio(c.ratio)}` : 'not stored') + (c.bad ? `, damaged: ${c.bad}` : '');
	}

	function again() {
		if (last) {
			on.say('');
			read(last);
		}
	}
	async function read(at) {
		const t = tile?.set === set && tile, {x, y, scaled} = set, mine = turn = {};
		/* cell i begins with element floor(i n / cells) */
		const cell = t && t.axes.map((a, i) => floor(((floor(at[i] / a.f) - round(a.from / a.f) + 1) * a.cells - 1) / a.n));
		if (t && cell.some((v, i) => v < 0 || v >= t.axes[i].cells))
			return;
		last = at;
		if (!t)
			return on.say('');
		const k = cell[1] * t.axes[0].cells + cell[0], {one} = t;
		const show = (v) => isNaN(v) ? 'missing' : type === 'bool' && one ? String(v > 0) : (/^complex/.test(type) ? '|z| = ' : '')
			+ digits(v, one && /float(16|32)/.test(type) && !scaled) + (units && (scaled || !src.cf) ? ' ' + units : '');
		const parts = [!line && where(src, y, floor(at[1])), where(src, x, floor(at[0])), t.k && `level ${t.k}`,
			!one && `mean of up to ${sizes(t.axes.map((a) => ceil(a.n / a.cells)).filter((n) => n > 1))} elements`];
		const say = (text) => on.say(text, parts.filter(Boolean).join(' · '), chunkAt(at)),
			unsure = time || (/int64/.test(type) ? !Number.isSafeInteger(t.data[k]) : /float/.test(type) && isNaN(t.data[k]) && !t.damaged[0]);
		if (!one || scaled || t.channels.length || !unsure)
			return say(t.replies.map((r, i) => `${t.channels[i]?.label ?? ''} ${show(r.data[k])}`).join(', ').trim());
		/* The text of times, long integers and infinities */
		const s = selection(src, t.k, set.at.map((v, d) => d === x ? at[0] : d === y ? at[1] : v)),
			exact = await ask('slice', {path: t.path, s, as: 'json', cf: time && 1}).catch(() => '?');
		if (mine === turn)
			say(exact === 'NaN' ? 'missing' : plain(exact));
	}

	return {
		canvas, update, zoom, items, level, spot, range: () => range,
		reload() {
			tile = null;
			again();
			soon();
		},
		stop: () => abort?.abort(),
	};
}
