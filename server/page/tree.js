/* tree.js - the hierarchy; only rows in sight exist, so that thousands of nodes stay quick */
import {byId, bytes, clamp, fill, h, plural, ratio, state} from './base.js';

const ROW = 42, box = byId('tree'), search = byId('search'), open = new Set(['/']);
let nodes, rows, active = '/', words = [], strip = 0;

/* Paths here start at the node that is served. */
export const local = (path) => path.slice(strip) || '/',
	find = (path) => nodes.get(path),
	wrong = (node) => node.problem || node.unsupported,
	typeName = (node) => String(node.data_type?.name || node.data_type || '');

const matches = (node) => words.every((w) => node.path.toLowerCase().includes(w));
const unfolded = (node) => node.children.length > 0 && (open.has(node.path) || words.length > 0);
const place = (path) => rows.findIndex((r) => r.node.path === path);

function adopt(node, parent) {
	const path = local(node.path), {children = []} = node;
	nodes.set(path, Object.assign(node, {path, parent, children, name: path.split('/').pop() || '/'}));
	children.forEach((child) => adopt(child, node));
}

export function setTree(root) {
	nodes = new Map();
	strip = root.path === '/' ? 0 : root.path.length;
	adopt(root);
	list();
}

function visit(node, level) {
	const at = rows.push({node, level});
	if (unfolded(node))
		node.children.forEach((child) => visit(child, level + 1));
	if (rows.length === at && !matches(node))
		rows.pop();
}

function list() {
	rows = [];
	visit(find('/'), 1);
	byId('found').textContent = words.length ? plural([...nodes.values()].filter(matches).length, 'node') : '';
	draw();
}

function draw() {
	const first = Math.floor(box.scrollTop / ROW) - 10, last = first + box.clientHeight / ROW + 20, at = place(active), space = h('div');
	space.style.height = `${rows.length * ROW}px`;
	fill(box, space, rows.map((r, i) => (i >= first && i < last || i === at) && row(r.node, r.level, i)));
	box.setAttribute('aria-activedescendant', 'row' + at);
}

function facts({stored: s = {}, shape, children, ...node}) {
	return wrong(node) || [shape ? shape.join('×') : plural(children.length, 'node'), typeName(node), s.bytes && bytes(s.bytes),
		s.ratio && ratio(s.ratio)].filter(Boolean).join(' · ');
}

function row(node, level, i) {
	const {path, children} = node, siblings = node.parent?.children || [node], folds = children.length > 0;
	const onclick = ({target}) => {
		active = path;
		target.className === 'fold' || path === state.path ? toggle(node) : choose(node);
		draw();
	};
	const e = h('div', {id: 'row' + i, role: 'treeitem', class: `row ${wrong(node) && 'wrong'} ${path === active && 'active'}`,
		'aria-level': level, 'aria-setsize': siblings.length, 'aria-posinset': siblings.indexOf(node) + 1, 'aria-selected': `${path === state.path}`,
		'aria-expanded': folds && `${unfolded(node)}`, title: wrong(node) || path, onclick},
	h('span', {class: 'fold'}, folds && (unfolded(node) ? '▾' : '▸')), h('span', {class: 'what'}, h('b', node.name), h('small', facts(node))));
	e.style.top = `${i * ROW}px`;
	e.style.paddingLeft = `${Math.min(level, 12) * 14 - 8}px`;
	return e;
}

function toggle({path}) {
	open.delete(path) || open.add(path);
	list();
}

export const drawer = (on) => byId('drawer').setAttribute('aria-expanded', document.body.classList.toggle('drawn', on));

function choose({path}) {
	drawer(false);
	state.open(path);
}

function move(to) {
	const at = clamp(to, 0, rows.length - 1), y = at * ROW;
	active = rows[at]?.node.path;
	box.scrollTop = clamp(box.scrollTop, y + ROW - box.clientHeight, y);
	draw();
}

export function reveal(path) {
	for (let node = find(path)?.parent; node; node = node.parent)
		open.add(node.path);
	list();
	move(place(path));
}

const keys = {
	ArrowDown: (at) => move(at + 1),
	ArrowUp: (at) => move(at - 1),
	Home: () => move(0),
	End: () => move(rows.length),
	ArrowRight: (at, node) => node.children.length && !unfolded(node) ? toggle(node) : move(at + unfolded(node)),
	ArrowLeft: (at, node) => unfolded(node) ? toggle(node) : node.parent && move(place(node.parent.path)),
	Enter: (at, node) => choose(node),
};

box.onscroll = window.onresize = () => rows && draw();
box.onkeydown = (e) => {
	const at = Math.max(0, place(active));
	if (keys[e.key] && rows.length && !e.altKey) {
		e.preventDefault();
		keys[e.key](at, rows[at].node);
	}
};
search.oninput = () => {
	words = search.value.toLowerCase().match(/\S+/g) || [];
	box.scrollTop = 0;
	list();
};
