// d3-sankey takes three functions of d3-array, whose index would load sixty modules.
export {default as max} from 'd3-array/max.js';
export {default as min} from 'd3-array/min.js';
export {default as sum} from 'd3-array/sum.js';
