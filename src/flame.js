/* Zoom, search and resizing. Without this the picture is the same, at rest. */
(function () {
	'use strict';
	const svg = document.documentElement;
	if (svg.localName !== 'svg')
		return;
	const pad = 12, lead = 3;
	const $ = (id) => document.getElementById(id);
	const total = Number($('frames').dataset.total);
	const frames = Array.from(document.querySelectorAll('.f'), (g) => {
		const lines = g.querySelector('title').textContent.split('\n');
		return {
			g, name: lines[0], what: lines.slice(1).join(', '),
			at: Number(g.dataset.at), w: Number(g.dataset.w), depth: Number(g.dataset.d),
			rect: g.querySelector('rect'), text: g.querySelector('text'), hit: false,
		};
	});
	let zoomed = frames[0], width = 1200, letter = 7, pattern = '';

	function make(name, attributes, parent) {
		const el = document.createElementNS('http://www.w3.org/2000/svg', name);
		for (const key in attributes)
			el.setAttribute(key, attributes[key]);
		return parent.appendChild(el);
	}

	/* The letters are of one width: measured, since the font is the viewer's own. */
	function measure() {
		const probe = make('text', {}, make('g', { class: 'f' }, svg));
		probe.textContent = 'm'.repeat(50);
		letter = probe.getComputedTextLength() / 50 || letter;
		probe.parentNode.remove();
	}

	function fit(name, room) {
		const letters = Array.from(name), n = Math.floor((room - 2 * lead) / letter);
		if (letters.length <= n)
			return name;
		return n < 3 ? '' : letters.slice(0, n - 1).join('') + '\u2026';
	}

	function place(f) {
		const z = zoomed, inner = width - 2 * pad;
		const above = f.depth < z.depth && f.at <= z.at && f.at + f.w >= z.at + z.w;
		const below = f.depth >= z.depth && f.at >= z.at && f.at + f.w <= z.at + z.w;
		const x = above ? pad : pad + (f.at - z.at) / z.w * inner;
		const w = above ? inner : f.w / z.w * inner;
		const off = !(above || below) || w < 0.1;

		f.g.classList.toggle('off', off);
		f.g.classList.toggle('up', above);
		if (off)
			return;
		f.rect.setAttribute('x', x.toFixed(2));
		f.rect.setAttribute('width', w.toFixed(2));
		f.text.setAttribute('x', (x + lead).toFixed(2));
		f.text.textContent = fit(f.name, w);
	}

	function draw() {
		frames.forEach(place);
		$('reset').classList.toggle('off', zoomed === frames[0]);
	}

	function zoom(f) {
		zoomed = f;
		draw();
		remember();
	}

	function resize() {
		const height = Number(svg.getAttribute('height'));
		width = Math.max(window.innerWidth || 1200, 480);
		svg.setAttribute('width', width);
		svg.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
		document.querySelectorAll('.title, .sub').forEach((t) => t.setAttribute('x', width / 2));
		document.querySelectorAll('.end').forEach((t) => t.setAttribute('x', width - pad));
		$('box').setAttribute('x', width - pad - 220);
		draw();
	}

	function matcher(words) {
		try {
			const re = new RegExp(words, 'i');
			return (name) => re.test(name);
		} catch (e) { /* half a regular expression, as while typing: take it literally */
			return (name) => name.includes(words);
		}
	}

	/* A matching frame inside a matching one is the same weight: it counts once. */
	function search(words) {
		const match = matcher(words);
		let sum = 0, end = 0;

		pattern = words;
		for (const f of frames) {
			f.hit = words !== '' && f !== frames[0] && match(f.name);
			f.g.classList.toggle('hit', f.hit);
			if (f.hit && f.at >= end) {
				sum += f.w;
				end = f.at + f.w;
			}
		}
		$('matched').textContent = words === '' ? '' :
			'Matched: ' + (total ? (100 * sum / total).toFixed(1) : '0') + '%';
		remember();
	}

	/* Zoom and search live in the address, so that a link shows what its sender saw. */
	function remember() {
		const state = new URLSearchParams();
		if (zoomed !== frames[0])
			state.set('zoom', frames.indexOf(zoomed));
		if (pattern !== '')
			state.set('search', pattern);
		try {
			history.replaceState(null, '', '#' + state);
		} catch (e) { /* a viewer without addresses */ }
	}

	function details(f) {
		$('details').textContent = f ? f.name + ': ' + f.what : '';
	}

	function frame_of(event) {
		const g = event.target.closest('.f');
		return g && frames.find((f) => f.g === g);
	}

	/* The box exists with the script only: a picture has nothing to type in. */
	function search_box() {
		const box = make('foreignObject', { id: 'box', x: 968, y: 8, width: 220, height: 28 }, svg);
		const input = document.createElementNS('http://www.w3.org/1999/xhtml', 'input');
		input.setAttribute('type', 'search');
		input.setAttribute('placeholder', 'search (regular expression)');
		input.setAttribute('aria-label', 'search frames');
		input.setAttribute('style', 'width:100%;height:26px;box-sizing:border-box;' +
			'font:13px system-ui,sans-serif;padding:2px 8px;border:1px solid #a8a29e;' +
			'border-radius:6px;background:transparent;color:inherit;color-scheme:light dark');
		input.addEventListener('input', () => search(input.value));
		return box.appendChild(input);
	}

	const input = search_box();
	const start = new URLSearchParams(location.hash.slice(1));

	measure();
	for (const f of frames)
		f.g.setAttribute('tabindex', '0');
	$('frames').addEventListener('click', (e) => { const f = frame_of(e); if (f) zoom(f); });
	$('frames').addEventListener('mouseover', (e) => details(frame_of(e)));
	$('frames').addEventListener('mouseout', () => details(null));
	$('frames').addEventListener('focusin', (e) => details(frame_of(e)));
	$('reset').addEventListener('click', () => zoom(frames[0]));
	window.addEventListener('resize', resize);
	window.addEventListener('keydown', (e) => {
		const f = frame_of(e);
		if (e.key === 'Enter' && f) {
			zoom(f);
		} else if (e.key === 'Escape') {
			input.value = '';
			search('');
			zoom(frames[0]);
		} else if (e.key === '/' && e.target !== input) {
			e.preventDefault();
			input.focus();
		}
	});
	zoomed = frames[Number(start.get('zoom'))] || frames[0];
	resize();
	if (start.get('search')) {
		input.value = start.get('search');
		search(input.value);
	}
})();
