/* main.js - the frame: facts of the node, tabs, shortcuts, reload */
import {ask, button, byId, bytes, count, failed, fill, h, note, plural, ratio, sizes, state, table, text, tools, words} from './base.js';
import {drawer, find, local, reveal, setTree, typeName, wrong} from './tree.js';
import {attrs, multiscales} from './source.js';
import {viewPane} from './view.js';

const main = byId('main'), tags = {};
let abort = new AbortController(), view, shown, about, tree;

const codec = ({name, configuration: c}) => `${name}${c?.codecs ? ` (${c.codecs.map(codec).join(', ')})` : ''} ${c?.level ?? ''}`.trim();

function facts(node) {
	const {shape, stored: s, chunk_shape: chunk, shard_shape: shard} = node, most = node.chunk_grid?.name === 'regular' ? '' : 'up to ';
	return Object.entries({
		Shape: shape && sizes(shape.map((n, d) => `${node.dimension_names?.[d] || ''} ${count(n)}`.trim())),
		Type: typeName(node),
		Chunks: chunk && (shard ? '' : most) + sizes(chunk),
		Shards: shard && most + sizes(shard),
		Codecs: node.codecs?.map(codec).join(', '),
		Fill: shape && text(node.fill_value),
		Stored: s && bytes(s.bytes),
		Ratio: s?.ratio && ratio(s.ratio),
		Format: node.format,
	}).map(([k, v]) => v && h('div', h('dt', k), h('dd', v)));
}

function metadata(pane, {attributes = {}, children, parent, name, ...rest}) {
	fill(pane, h('h2', 'Attributes'), h('pre', text(attributes, 2)), h('h2', 'Metadata'), h('pre', text(rest, 2)));
}

const findings = (list = []) => list.length > 0 && table(['severity', 'rule', 'where', 'what is wrong'], list.map((f) => {
	const path = local(f.path || '/'), link = button(f.key || path, () => state.open(path, {over: 'state'}), {class: 'link'});
	return [h('span', {class: f.severity === 'error' ? 'bad' : 'warn'}, f.severity), f.rule, [link, f.pointer], [f.message, ' ', f.fix]];
}));

const convention = (c) => [h('h2', `${c.name || c.id} ${c.version || ''}`), findings(c.findings),
	!c.known ? note('not known here') : c.valid ? note('valid') : note('not valid', 'bad')];

function check(pane, {path}, signal) {
	const declared = h('div'), out = h('div', {role: 'status'});
	const run = async (fast) => {
		const job = Math.random().toString(36).slice(2), bar = h('progress', {label: 'Progress'});
		fill(out, bar);
		const timer = setInterval(() => ask('progress', {job}, signal).then(({total, done}) =>
			total && Object.assign(bar, {max: total, value: done}), () => {}), 200);
		await ask('validate', {path, fast, job}, signal).then((r) => fill(out, findings(r.findings), r.findings.length
			? note(`${plural(r.errors, 'error')}, ${plural(r.warnings, 'warning')}`, r.errors ? 'bad' : 'warn')
			: note('Nothing is wrong.')), failed(out));
		clearInterval(timer);
	};
	fill(pane, tools(button('Check every chunk', () => run(0)), button('Check metadata only', () => run(1))), out, declared);
	ask('conventions', {path}, signal).then(({nodes}) => {
		const list = nodes.flatMap((n) => n.conventions);
		fill(declared, list.length ? list.map(convention) : note('No conventions.'));
	}, (e) => signal.aborted || failed(declared)(e));
}

/* The node of the address; when only values changed, in the view that is there. */
async function show(values) {
	const node = find(state.path), tabs = {__proto__: null, ...(node?.shape || multiscales(node)) && {view: viewPane}, metadata, check},
		tab = tabs[state.get('tab')] ? state.get('tab') : Object.keys(tabs)[0],
		key = [state.path, tab, ...['as', 'x', 'y', 'mix'].map(state.get)].join();
	if (values && key === shown)
		return view?.values();
	shown = key;
	abort.abort();
	abort = new AbortController();
	view?.close();
	view = null;
	reveal(state.path);
	if (!node)
		return fill(main, note(`There is no node ${state.path}.`, 'bad'));
	document.title = `${node.path} – Zinc`;
	const {signal} = abort, pane = h('section', {id: 'pane', role: 'tabpanel', label: tab}, 'Reading …'),
		open = (name) => button(name, () => state.set({tab: name}, 'push'), {role: 'tab', 'aria-selected': `${name === tab}`});
	const put = () => fill(main, h('h1', node.path), note(words(attrs(node).long_name || '')), wrong(node) && note(wrong(node), 'bad'),
		h('dl', {id: 'facts'}, facts(node)), h('div', {role: 'tablist'}, Object.keys(tabs).map(open)), pane);
	if (!values)
		put();
	try {
		const made = await tabs[tab](pane, node, signal);
		signal.aborted ? made?.close() : view = made;
	} catch (e) {
		signal.aborted || failed(pane)(e);
	}
	if (values && !signal.aborted)
		put();
}

/* Of a node and those below, without stored sizes */
const known = (node) => JSON.stringify(node, (k, v) => k === 'parent' || k === 'stored' ? undefined : v);

async function readTree(sizes) {
	const root = await ask('tree', {sizes, attrs: 1}), now = known(root), changed = now !== tree;
	tree = now;
	if (sizes || changed)
		setTree(root);
	if (sizes && byId('facts'))
		fill(byId('facts'), facts(find(state.path) || {}));
	return changed;
}

/* The tag is of one node; of others the tree tells, which is read where that costs little. */
async function look() {
	const {path} = state, old = tags[path], node = known(find(path)),
		tag = tags[path] = await ask('changed', {path}).then((r) => r.tag, (e) => e.status < 503 ? e.message : old),
		touched = old && tag !== old;
	if (!touched && about.remote || !await readTree().catch(() => false) && !touched)
		return;
	if (path === state.path)
		known(find(path)) !== node ? show() : touched && view?.reload();
	await readTree(1);
}

async function poll() {
	const began = Date.now();
	if (byId('live').checked && !document.hidden)
		await look().catch(() => {});
	setTimeout(poll, Math.max(3000, 10 * (Date.now() - began)));
}

function keys(e) {
	const tab = document.querySelectorAll('[role=tab]')[e.key - 1];
	if (e.key === 'Escape') {
		drawer(false);
		byId('drawer').focus();
	}
	const used = e.target.matches(e.key === ' ' ? 'button, input, select, summary' : 'select, [type=search], [type=number], [size]');
	if (used || e.ctrlKey || e.metaKey || e.altKey || !tab && !'/?[]cphe '.includes(e.key))
		return;
	e.preventDefault();
	if (e.key === '/')
		byId('search').focus();
	else if (e.key === '?')
		byId('keys').click();
	else
		tab ? tab.click() : view?.key?.(e.key);
}

async function start() {
	matchMedia('(prefers-color-scheme: dark)').onchange = () => view?.values();
	byId('keys').onclick = () => byId('help').showModal();
	byId('drawer').onclick = () => drawer();
	document.onkeydown = keys;
	try {
		about = await ask('about');
		byId('where').textContent = about.url;
		byId('live').checked = !about.remote;
		await readTree();
	} catch (e) {
		return failed(main)(e);
	}
	state.changed = show;
	show();
	poll();
	readTree(1).catch(() => {}); /* sizes may take long */
}

start();
