/*
 * base.js - what all parts use: the server, the state of the page, elements, gestures, numbers as text
 *
 * After '#' the address has the path of the node, '?', then named values.  Integers that a double cannot hold become text
 * with a mark in front.  Text from a store becomes text nodes, never markup.
 */
export const plain = (v) => String(v).replace(/^\u0001/, '');
export const text = (v, indent) => JSON.stringify(v ?? null, null, indent).replace(/"\\u0001(-?\d+)"/g, '$1');
export const words = (v) => typeof v === 'string' ? plain(v) : text(v);

const parse = (json) => JSON.parse(json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?[\d.]{16,}(?:[eE][-+]?\d+)?/g, (t) =>
	/^-?\d+$/.test(t) && !Number.isSafeInteger(Number(t)) ? `"\\u0001${t}"` : t));

export const unpack = (packed) => Uint8Array.from(atob(packed), (c) => c.charCodeAt(0)),
	numbers = (packed) => new Float64Array(unpack(packed).buffer);

export function address(name, {path = '', ...more} = {}) {
	const given = Object.entries({path: path.slice(1), ...more}).filter(([, v]) => v);
	return `api/${name}?${new URLSearchParams(given)}`;
}

const silent = () => Promise.reject(new Error('The server does not answer.'));

export async function ask(name, params, signal, blob) {
	const reply = await fetch(address(name, params), {signal}).catch(silent), {ok, status} = reply,
		body = await reply[ok && blob ? 'blob' : 'text']().catch(silent);
	if (!ok)
		throw Object.assign(new Error(body.trim() || `The server answered with status ${status}.`), {status});
	return blob ? body : parse(body);
}

export const escaped = (path) => path.split('/').map(encodeURIComponent).join('/');
let values;

function read() {
	const [, path, query] = /^#?([^?]*)\??(.*)$/.exec(location.hash);
	try {
		state.path = decodeURIComponent(path) || '/';
	} catch {
		state.path = path; /* a malformed escape */
	}
	values = new URLSearchParams(query);
}

function write(push) {
	const query = String(values).replaceAll('%2C', ',');
	history[push ? 'pushState' : 'replaceState'](null, '', `#${escaped(state.path)}${query && '?' + query}`);
}

export const state = {
	/* Called after a change, with true if only values changed. */
	changed() {},
	get: (name, or = '') => values.get(name) ?? or,
	list: (name) => values.get(name)?.split(',').map(Number) || [],
	/* '' removes; 'push' enters the history, 'quiet' tells nobody. */
	set(patch, how) {
		for (const [k, v] of Object.entries(patch))
			v === '' ? values.delete(k) : values.set(k, v);
		write(how === 'push');
		if (how !== 'quiet')
			state.changed(true);
	},
	open(path, patch) {
		state.path = path;
		values = new URLSearchParams(patch);
		write(true);
		state.changed();
	},
};

read();
addEventListener('popstate', () => {
	read();
	state.changed();
});

/* h('p', {class: 'quiet', onclick: f}, 'text', element ...), without false and empty children */
export function h(tag, ...children) {
	const e = document.createElement(tag), props = children[0]?.constructor === Object ? children.shift() : {};
	for (const [name, value] of Object.entries(props))
		if (/^on/i.test(name))
			e[name] = value;
		else if (value !== false && value !== undefined)
			e.setAttribute(name === 'label' ? 'aria-label' : name, value);
	return fill(e, ...children);
}

/* The focus stays at the same place among the controls. */
export function fill(e, ...children) {
	const controls = () => [...e.querySelectorAll('button, input, select, summary')], focus = controls().indexOf(document.activeElement);
	e.replaceChildren(...children.flat(9).filter(Boolean));
	controls()[focus]?.focus();
	return e;
}

export const byId = (id) => document.getElementById(id),
	button = (text, onclick, props) => h('button', {onclick, ...props}, text),
	note = (text, kind = 'quiet') => h('p', {class: kind, role: kind === 'bad' && 'alert'}, text),
	failed = (box) => (e) => fill(box, note(e.message, 'bad')),
	tools = (...children) => h('div', {class: 'tools'}, ...children);

export function choice(label, options, value, change) {
	const select = h('select', {onchange: () => change(select.value)},
		Object.entries(options).map(([value, text]) => h('option', {value}, text)));
	select.value = value;
	return h('label', label + ' ', select);
}

export function check(label, on, change) {
	const box = h('input', {type: 'checkbox', onchange: () => change(Number(box.checked))});
	box.checked = on;
	return h('label', box, ' ' + label);
}

/* `numeric`: of each column. */
export function table(head, rows, numeric = []) {
	const line = (tag, cells) => h('tr', cells.map((c, i) => h(tag, {class: numeric[i] && 'num'}, c)));
	return h('div', {class: 'scroll', tabindex: 0, role: 'region', label: 'Table'},
		h('table', h('thead', line('th', head)), h('tbody', rows.map((r) => line('td', r)))));
}

/* Once calls have paused */
export function later(f, ms) {
	let timer;
	return () => {
		clearTimeout(timer);
		timer = setTimeout(f, ms);
	};
}

/* Pointer and wheel, as calls with pixels [x, y]: zoom(factor, at), pan(by), hover(at), click(at). */
export function gestures(canvas, on) {
	const held = new Map(), place = (e) => [e.offsetX, e.offsetY], way = ([x, y], [x0, y0]) => [x - x0, y - y0],
		spread = () => held.size > 1 && Math.hypot(...way(...held.values()));
	let moved, apart;
	canvas.onwheel = (e) => {
		e.preventDefault();
		on.zoom(Math.exp(clamp(e.deltaY, -60, 60) / 250), place(e));
	};
	canvas.onpointerdown = (e) => {
		canvas.setPointerCapture(e.pointerId);
		held.set(e.pointerId, place(e));
		moved = 0;
		apart = spread();
	};
	canvas.onpointermove = (e) => {
		const was = held.get(e.pointerId), at = place(e);
		if (!was)
			return on.hover(at);
		held.set(e.pointerId, at);
		moved += Math.hypot(...way(at, was));
		if (apart)
			on.zoom(apart / (apart = spread()), at);
		else if (moved > 3)
			on.pan(way(at, was));
	};
	canvas.onpointerup = canvas.onpointercancel = (e) => {
		held.delete(e.pointerId);
		apart = 0;
		if (moved <= 3)
			on.click(place(e));
	};
}

export const {abs, ceil, floor, max, min, round} = Math;
export const clamp = (v, lo, hi) => max(lo, min(hi, v)),
	count = (n) => n.toLocaleString('fr'),
	plural = (n, one) => `${count(n)} ${one}${n === 1 ? '' : 's'}`,
	ratio = (r) => r ? `${r.toFixed(r < 10 ? 2 : r < 100 ? 1 : 0)}×` : '–',
	sizes = (shape) => shape && (shape.join(' × ') || 'scalar');

export function bytes(n) {
	let i = 0;
	for (; n >= 999.5; i++)
		n /= 1000;
	return `${i && n < 99.5 ? n.toFixed(1) : round(n)} ${'KMGTPE'[i - 1] || ''}B`;
}

/* All digits that tell a value from its neighbours */
export function digits(v, single) {
	return String(single && [6, 7, 8, 9].map((n) => Number(v.toPrecision(n))).find((t) => Math.fround(t) === v) || v);
}

export function brief(v, n) {
	const t = Number.isInteger(v) ? v : Number(v.toPrecision(n));
	return abs(t) >= 1e7 || t && abs(t) < 1e-4 ? t.toExponential().replace('+', '') : String(t);
}

/* About n round numbers, at least one */
export function ticks(lo, hi, n) {
	const rough = (hi - lo) / max(1, n), power = 10 ** floor(Math.log10(rough)),
		step = [1, 2, 5, 10].find((m) => m * power >= rough * 0.999) * power,
		first = ceil(lo / step - 1e-9), length = floor(hi / step + 1e-9) - first + 1;
	return length > 0 ? Array.from({length}, (_, i) => Number(((first + i) * step).toPrecision(15))) : [lo];
}
