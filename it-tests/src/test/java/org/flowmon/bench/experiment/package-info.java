/**
 * Experiments on the archive, one class each: the growth of one quantity with another, as a table
 * and a plot ({@code docs/performance.md}).
 */
package org.flowmon.bench.experiment;
