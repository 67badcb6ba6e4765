/* view.js - the View tab: controls, sliders, picture or table, what opens below, exports */
import {ask, button, bytes, check, choice, clamp, count, escaped, failed, fill, h, later, note,
	plural, sizes, state, table, tools, words} from './base.js';
import {histogram, mapNames, overlays, picture as open, profile} from './heat.js';
import {openSource, plottable, selection, settings, stretch, where} from './source.js';

const set = (name, how) => (v) => state.set({[name]: v}, how), decode = (src) => src.cf && check('Decode', settings(src).cf, set('cf'));

/* When one plays, the next step waits for `ready`. */
const sliders = (src, drawn, ready) => src.shape.flatMap((n, d) => drawn.includes(d) || n < 2 ? [] : slider(src, d, n, ready));

function slider(src, d, n, ready) {
	const name = src.names[d], label = h('output');
	const inputs = ['range', 'number'].map((type) =>
		h('input', {type, min: 0, max: n - 1, label: `${name}, ${type}`, oninput: (e) => go(e.target.value)}));
	let timer;
	const now = () => settings(src).at, step = (by) => go((now()[d] + by + n) % n);
	const go = (i) => {
		state.set({at: now().with(d, i)});
		show();
	};
	const show = () => {
		const i = now()[d];
		inputs.forEach((e) => e.value = i);
		label.textContent = src.coords[d]?.label(i) || '';
	};
	const play = button('▶', () => {
		clearInterval(timer);
		timer = !timer && setInterval(() => play.isConnected ? ready() && step(1) : clearInterval(timer), 300);
		play.textContent = timer ? '❚❚' : '▶';
	}, {label: `Play ${name}`});
	show();
	return Object.assign(h('div', {class: 'slider'}, h('span', name), play, inputs, label), {step, play});
}

function controls(src, picture) {
	const s = settings(src), {names, channels: ch, levels} = src, fixed = s.stretch.endsWith('%') ? '' : s.stretch,
		on = ch?.list.map((_, i) => Number(s.channels.some((c) => c.i === i))),
		axis = (mine, other) => (v) => state.set({[mine]: v, [other]: Number(v) === s[other] ? s[mine] : s[other], box: ''}, 'push'),
		ranges = {'2,98%': '2 – 98 %', '0,100%': 'min – max', [fixed]: 'fixed'};
	return [
		names.length > 2 && [choice('Rows', names, s.y, axis('y', 'x')), choice('Columns', names, s.x, axis('x', 'y'))],
		ch && ![s.x, s.y].includes(ch.d) && check('Compose', s.mixed, set('mix', 'push')),
		s.mixed ? ch.list.map((c, i) => check(c.label, on[i], (v) => set('ch')(on.with(i, v).join(''))))
			: s.y >= 0 && [choice('Colours', mapNames, s.map, set('cmap')), choice('Range', ranges, s.stretch, (v) => set('range')(v || picture.range() || '')),
				h('input', {size: 12, label: 'Range, low and high', placeholder: 'low,high', value: fixed,
				onchange: (e) => set('range')(stretch(e.target.value))})],
		choice('Chunks', overlays, s.over, set('over')),
		levels.length > 1 && choice('Level', {...levels.map((l, k) => `${k}: ${sizes(l.shape)}`), '': 'by zoom'}, s.level, set('level')),
		!src.time && decode(src),
		h('span', button('−', () => picture.zoom(1.5), {label: 'Zoom out'}), button('+', () => picture.zoom(1 / 1.5), {label: 'Zoom in'}),
			button('All', () => set('box')(''))),
	];
}

/* Each asks, then gives a function that fills its box. */
const panels = {
	p: ['Profiles', async (src, request, items, [px, py]) => {
		const {x, y} = settings(src), lines = y < 0 ? [] : [[x, y, py], [y, x, px]],
			replies = await Promise.all(lines.map(([, across, at]) => ask('plot', request(items.with(across, at), {kind: 'line', width: 600}))));
		return (box) => lines.forEach(([d, across, at], i) =>
			profile(box, `Along ${src.names[d]} at ${where(src, across, at)}`, replies[i], items[d], src.coords[d], src.names[d], src.units));
	}],
	h: ['Histogram', async (src, request, items) => {
		const r = await ask('plot', request(items, {kind: 'hist', cells: 'numbers'})),
			title = `Histogram of ${plural(r.numbers, 'number')} in sight, ${count(r.missing)} missing`;
		return (box) => histogram(box, title, r, src.units);
	}],
	e: ['Explain', async (src, request, items) => {
		const {path, s} = request(items), r = await ask('explain', {path, s}), better = r.suggestion?.chunk_shape;
		return (box) => fill(box, `${plural(r.requests, 'request')} for ${plural(r.chunks, 'chunk')}, `,
			`${count(r.chunks_present)} stored: ${bytes(r.bytes_read)} read, ${bytes(r.bytes_decoded)} decoded, ${bytes(r.bytes_selected)} used. `,
			better && `Chunks of ${sizes(better)} would suit it better.`);
	}],
};

function picturePane(pane, src) {
	const readout = h('p', {id: 'readout', 'aria-live': 'polite'}, 'Point at the picture.'),
		notes = h('div', {id: 'notes', role: 'status'}), bar = tools(), boxes = {}, buttons = {}, isOpen = (k) => state.get('panels').includes(k);
	const picture = open(src, {
		changed: later(() => Object.keys(panels).filter(isOpen).forEach(refresh), 200),
		note: (list) => fill(notes, list.map((n) => note(...n))),
		say: (value, where, chunk) => fill(readout, h('b', value), h('span', where), chunk && h('small', chunk)),
	});
	const place = (items) => ({path: src.levels[picture.level()].path, s: selection(src, picture.level(), items)}),
		request = (items, more) => ({...place(items), cf: settings(src).scaled, damaged: 'mark', cells: 'base64', ...more});
	const refresh = (k) => panels[k][1](src, request, picture.items(), picture.spot())
		.then((draw) => draw(fill(boxes[k])), failed(boxes[k]));
	const toggle = (k) => {
		const now = state.get('panels');
		state.set({panels: isOpen(k) ? now.replace(k, '') : now + k}, 'quiet');
		buttons[k].setAttribute('aria-pressed', isOpen(k));
		isOpen(k) ? refresh(k) : fill(boxes[k]);
	};
	for (const k in panels) {
		boxes[k] = h('section');
		buttons[k] = button(panels[k][0], () => toggle(k), {'aria-pressed': `${isOpen(k)}`});
	}
	const {x, y, mixed} = settings(src), others = sliders(src, [x, y, mixed ? src.channels.d : -1], () => picture.canvas.dataset.ready),
		frame = h('div', picture.canvas), renew = () => fill(bar, controls(src, picture));
	const values = () => {
		setTimeout(renew); /* when the event has moved the focus */
		picture.update();
	};
	let wide = 0;
	const size = new ResizeObserver(() => wide === (wide = frame.clientWidth) || values());
	fill(pane, bar, others, frame, readout, notes, tools(Object.values(buttons)), Object.values(boxes));
	renew();
	size.observe(frame);
	return {
		/* of all channels */
		place: () => place(picture.items(mixed && {i: [0, src.channels.list.length]})), values, canvas: picture.canvas, reload: picture.reload,
		key(k) {
			const kinds = Object.keys(overlays), next = kinds.indexOf(settings(src).over) + 1;
			if (panels[k])
				toggle(k);
			else if (k === 'c')
				set('over')(kinds[next % kinds.length]);
			else
				k === ' ' ? others[0]?.play.click() : others[0]?.step(k === ']' ? 1 : -1);
		},
		close() {
			size.disconnect();
			picture.stop();
		},
	};
}

function tablePane(pane, src) {
	const {shape, names, base} = src, body = h('div'), {x, y} = settings(src), flat = shape.length < 2,
		down = flat ? 0 : Math.min(x, y), across = flat ? -1 : Math.max(x, y), pages = {[down]: ['row', 200], [across]: ['col', 50]},
		from = (d) => clamp(Math.floor(state.get(pages[d][0])) || 0, 0, shape[d] - 1),
		place = () => ({path: base.path, s: settings(src).at.map((i, d) => pages[d] ? `${from(d)}:${from(d) + pages[d][1]}` : i).join()});
	const pager = (d, [name, step] = pages[d]) => shape[d] > step && h('label', `${plural(step, name)} from `,
		h('input', {type: 'number', min: 0, max: shape[d] - 1, step, value: from(d), onchange: (e) => set(name)(e.target.value)}), ` of ${count(shape[d])}`);
	const load = async () => {
		const v = await ask('slice', {...place(), as: 'json', cf: settings(src).cf});
		if (!shape.length)
			return fill(body, h('h1', `${words(v)} ${src.units}`));
		const record = flat && v[0]?.constructor === Object,
			head = record ? Object.keys(v[0]) : flat ? ['value'] : v[0].map((_, i) => String(from(across) + i)),
			rows = v.map((r, i) => [where(src, down, from(down) + i).slice(names[down].length), ...record ? Object.values(r) : flat ? [r] : r]);
		fill(body, table([names[down], ...head], rows.map((r) => r.map(words)),
			rows[0].map((_, i) => rows.some((r) => typeof r[i] === 'number' || /^\u0001/.test(r[i])))));
	};
	const values = () => shape.includes(0) ? fill(body, note('This array is empty.')) : load().catch(failed(body));
	fill(pane, tools(decode(src), pager(down), pager(across)), sliders(src, [down, across], () => true), body);
	values();
	return {place, values, reload: values, close() {}};
}

function exportMenu(view, src) {
	const {path} = src.node, name = path.split('/').pop() || 'data', face = `${location.href.split('#')[0]}v3${escaped(path)}`,
		said = h('span', {role: 'status'});
	const save = (ending) => (blob) => {
		const href = URL.createObjectURL(blob);
		h('a', {href, download: `${name}.${ending}`}).click();
		setTimeout(() => URL.revokeObjectURL(href), 60000);
		fill(said);
	};
	const slice = (as) => button(as, () => {
		fill(said, 'Reading …');
		ask('slice', {...view.place(), as, cf: settings(src).cf}, null, true).then(save(as), failed(said));
	});
	const layers = JSON.stringify({layers: [{name, type: 'image', source: 'zarr3://' + face}]}),
		link = (where, href) => h('a', {href, target: '_blank'}, where + ' ↗');
	return h('details', {class: 'menu'}, h('summary', 'Export'), h('div',
		view.canvas && button('png', () => view.canvas.toBlob(save('png'))), slice('csv'), slice('npy'), said,
		link('Neuroglancer', 'https://neuroglancer-demo.appspot.com/#!' + encodeURIComponent(layers)),
		link('vizarr', 'https://hms-dbmi.github.io/vizarr/?source=' + encodeURIComponent(face))));
}

/* The result has values(), reload(), close(), and of a picture key(). */
export async function viewPane(pane, node, signal) {
	const src = await openSource(node, signal);
	if (!src || node.unsupported)
		return void fill(pane, note('This build cannot read the elements.', 'bad'));
	const drawn = plottable(src.base) && src.shape.length > 0 && !src.shape.includes(0), body = h('div'), as = state.get('as'),
		view = (drawn && as !== 'table' ? picturePane : tablePane)(body, src);
	fill(pane, tools(drawn && choice('Show', {'': 'picture', table: 'table'}, as, set('as', 'push')), exportMenu(view, src)), body);
	return view;
}
