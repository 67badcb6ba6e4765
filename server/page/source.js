/*
 * source.js - what a view draws from: an array, or the levels of a pyramid; and what the address asks for
 *
 * Places are elements of level 0.  An element of level k is factor[k][d] of them long.
 */
import {ask, brief, clamp, state, words} from './base.js';
import {find, local, typeName} from './tree.js';

export const attrs = (node) => node?.attributes || {},
	multiscales = (node) => attrs(node).ome?.multiscales || attrs(node).multiscales,
	plottable = (node) => /^(bool|u?int|float|bfloat|complex)/.test(typeName(node));
const isTime = (units) => /\bsince\b/.test(units);

function coordinate(at, units, up) {
	const label = (i) => {
		const v = at(i);
		return typeof v === 'number' ? `${brief(v, 9)} ${units}`.trim() : v || '';
	};
	return {at, label, up, units: isTime(units) ? '' : units};
}

async function arrayBeside(node, name, n) {
	const beside = node.parent?.children.find((other) => other.name === name);
	if (!beside?.shape || beside === node || String(beside.shape) !== String(n) || n > 200000)
		return null;
	const all = await ask('slice', {path: beside.path, as: 'json', cf: 1}).catch(() => []), {units = '', axis} = attrs(beside);
	return coordinate((i) => all[i], words(units), (/^degrees?_?n/i.test(units) || axis === 'Y') && all.at(-1) > all[0]);
}

async function levelsOf(group, signal) {
	const {nodes} = await ask('conventions', {path: group.path}, signal),
		{levels = []} = nodes.flatMap((n) => n.conventions).find((c) => c.levels?.length) || {};
	return levels.map((l) => ({...l, node: find(local(l.path))})).filter((l) => l.node?.shape);
}

const omero = (a) => (a.ome?.omero || a.omero)?.channels?.map((c, i) => ({
	label: words(c.label || i),
	on: c.active !== false,
	colour: /^[\da-f]{6}$/i.test(c.color) ? c.color : 'ffffff',
	window: c.window?.end > c.window?.start && [c.window.start, c.window.end],
}));

function channelsOf({shape, names, type}, described) {
	const last = shape.length - 1, small = type === 'uint8',
		named = names.findIndex((n) => /^(c|channels?|rgba?|bands?|colou?rs?)$/i.test(n)), d = named < 0 && small ? last : named, n = shape[d];
	if (d < 0 || last < 2 || described?.length !== n && n !== 3 && n !== 4)
		return null;
	return {d, list: described?.length === n ? described : ['ff0000', '00ff00', '0000ff', small ? '000000' : 'ffffff'].slice(0, n).map((colour, i) =>
		({label: 'RGBA'[i], colour, on: true, window: small && [0, 255]}))};
}

export async function openSource(node, signal) {
	const levels = node.shape ? [{node}] : await levelsOf(node, signal), {node: base, scale, translation} = levels[0] || {};
	if (!base)
		return null;
	const {shape} = base, attributes = attrs(base), units = words(attributes.units || ''), time = isTime(units),
		given = [multiscales(node)].flat()[0]?.axes || [],
		names = shape.map((_, d) => words(base.dimension_names?.[d] || attributes._ARRAY_DIMENSIONS?.[d] || given[d]?.name || `dimension ${d}`));
	const coords = await Promise.all(names.map((name, d) => !scale ? arrayBeside(base, name, shape[d]) : given[d]?.type === 'channel' ? null
		: coordinate((i) => i * scale[d] + (translation?.[d] || 0), words(given[d]?.unit || ''))));
	const src = {node, base, names, shape, coords, units, time, type: typeName(base), levels: levels.map((l) => l.node),
		cf: time || ['scale_factor', 'add_offset', '_FillValue', 'missing_value'].some((k) => k in attributes),
		factor: levels.map((l) => l.node.shape.map((n, d) => l.scale?.[d] / scale?.[d] || shape[d] / n || 1))};
	src.channels = channelsOf(src, omero(attrs(node)) || omero(attrs(base.parent)));
	return src;
}

/* Two numbers that rise, or two percentages. */
export function stretch(text) {
	const [lo, hi, more] = text.replace(/%$/, '').split(',').map(Number), good = hi > lo && hi - lo < Infinity && more === undefined;
	return good && (!text.endsWith('%') || lo >= 0 && hi <= 100) ? text : '2,98%';
}

/* Of one dimension y is -1.  Of times pictures show the stored numbers. */
export function settings({shape, channels, cf, time}) {
	const rest = [...shape.keys()].filter((d) => d !== channels?.d), given = state.list('at'), on = state.get('ch'),
		flag = (name, or) => Number(state.get(name, or) > 0);
	const dimension = (name, other) => {
		const d = parseInt(state.get(name));
		return shape[d] && d !== other ? d : rest.findLast((d) => d !== other);
	};
	const x = dimension('x'), y = shape.length < 2 ? -1 : dimension('y', x),
		mixed = channels && ![x, y].includes(channels.d) && flag('mix', 1);
	return {x, y, mixed, at: shape.map((n, d) => clamp(Math.floor(given[d]) || 0, 0, n - 1)), cf: flag('cf', cf), scaled: !time && flag('cf', cf),
		map: state.get('cmap', 'viridis'), stretch: stretch(state.get('range')), over: state.get('over', 'off'), level: state.get('level'),
		channels: mixed ? channels.list.map((c, i) => ({...c, i})).filter((c) => on ? on[c.i] === '1' : c.on) : []};
}

/* The text of `s=` for level k */
export function selection(src, k, items) {
	return items.map((item, d) => {
		const f = src.factor[k][d], n = src.levels[k].shape[d], low = (v) => clamp(Math.floor(v / f + 1e-9), 0, n - 1);
		return item.length ? `${low(item[0])}:${clamp(Math.ceil(item[1] / f - 1e-9), low(item[0]) + 1, n)}` : low(item);
	}).join();
}

/* "lat[40] = -50 degrees_north" */
export function where(src, d, i) {
	const label = src.coords[d]?.label(i);
	return `${src.names[d]}[${i}]${label ? ' = ' + label : ''}`;
}
