// Volumes between the values of two or more columns. Nodes and links are links to the view that they narrow.
import layout from 'd3-sankey/sankey.js';
import {useEffect, useRef, useState} from 'preact/hooks';
import {dom, part} from '../lib/dom.js';

const {a, div, g, path, rect, svg, text, title} = dom;

/**
 * rows: {key: values, volume}; `rest` is what no row has. `name(column, value)` is shown, `narrow(pairs)` the address
 * of the view with columns and values.
 */
export const sankey = part(({columns, rows, rest, name, show, narrow, label}) => {
  const place = useRef(null);
  const [width, setWidth] = useState(900);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidth(Math.max(420, Math.floor(entry.contentRect.width))));
    watch.observe(place.current);
    return () => watch.disconnect();
  }, []);
  const height = Math.max(280, 30 * Math.max(...columns.map((_, c) => new Set(rows.map((row) => row.key[c])).size)) + 60);
  const {nodes, links} = laidOut(columns, rows, rest, width, height);
  return div({ref: place, class: 'scroll'},
    svg({class: 'sankey', viewBox: `0 0 ${width} ${height}`, width, height, role: 'group', 'aria-label': label},
      g(null, links.map((link) => path({
        key: link.index, class: `flow ${link.colour}`, d: curve(link), 'stroke-width': Math.max(1, link.width),
      }, title(null, `${nodeName(link.source, name)} → ${nodeName(link.target, name)}: ${show(link.value)}`)))),
      g(null, nodes.map((node) => node.rest
        ? g({key: node.index}, box(node), caption(node, width, 'others', show))
        : a({key: node.index, href: narrow([[node.column, node.item]]), 'aria-label': `Only ${nodeName(node, name)}`},
          box(node), caption(node, width, nodeName(node, name), show))))));
});

const nodeName = (node, name) => (node.rest ? 'others' : name(node.column, node.item));

function laidOut(columns, rows, rest, width, height) {
  const nodes = [];
  const places = new Map();
  const node = (c, value, isRest) => {
    const id = `${c}|${isRest ? 'rest' : JSON.stringify(value)}`;
    if (!places.has(id)) {
      places.set(id, nodes.length);
      nodes.push({id, column: columns[c], item: value, rest: isRest});
    }
    return places.get(id);
  };
  const volumes = new Map();
  const colours = new Map();
  const link = (source, target, volume) => volumes.set(`${source} ${target}`, (volumes.get(`${source} ${target}`) ?? 0) + volume);
  for (const row of rows.filter(({volume}) => volume > 0)) {
    for (let c = 0; c + 1 < columns.length; c++) {
      link(node(c, row.key[c], false), node(c + 1, row.key[c + 1], false), row.volume);
    }
    const first = node(0, row.key[0], false);
    colours.has(first) || colours.set(first, `k${colours.size % 10}`);
  }
  if (rest > 0) {
    for (let c = 0; c + 1 < columns.length; c++) {
      link(node(c, null, true), node(c + 1, null, true), rest);
    }
  }
  const links = [...volumes].map(([pair, value]) => {
    const [source, target] = pair.split(' ').map(Number);
    return {source, target, value, colour: nodes[source].rest ? 'ko' : colours.get(source) ?? 'ko'};
  });
  if (links.length === 0) {
    return {nodes: [], links: []};
  }
  return layout().nodeWidth(10).nodePadding(10).nodeSort((a, b) => a.rest - b.rest || b.value - a.value)
    .extent([[1, 6], [width - 1, height - 6]])({nodes, links});
}

function curve({source, target, y0, y1}) {
  const middle = (source.x1 + target.x0) / 2;
  return `M${source.x1},${y0}C${middle},${y0} ${middle},${y1} ${target.x0},${y1}`;
}

const box = (node) => rect({
  class: node.rest ? 'rest' : '', x: node.x0, y: node.y0, width: node.x1 - node.x0, height: Math.max(1.5, node.y1 - node.y0),
});

function caption(node, width, label, show) {
  const left = node.x1 > width - 30;
  return text({
    x: left ? node.x0 - 6 : node.x1 + 6, y: (node.y0 + node.y1) / 2, dy: '0.35em', 'text-anchor': left ? 'end' : 'start',
  }, `${label} · ${show(node.value)}`);
}
