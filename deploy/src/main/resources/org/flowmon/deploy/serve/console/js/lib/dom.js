// Elements as functions: div({class: 'card'}, 'text', span('more')). Properties may be left out.
import {h} from 'preact';

const isProperties = (value) => value !== null && typeof value === 'object' && value.constructor === Object;

const element = (tag) => (first, ...rest) =>
  isProperties(first) ? h(tag, first, ...rest) : h(tag, null, first, ...rest);

export const dom = new Proxy({}, {get: (known, tag) => (known[tag] ??= element(tag))});

/** A component as a function of its properties. */
export const part = (component) => (properties, ...children) => h(component, properties, ...children);
