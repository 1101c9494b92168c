/**
 * Experiments on the archive, one class each: what grows with what, as a table and a plot ({@code
 * docs/performance.md}).
 */
package org.flowmon.bench.experiment;
