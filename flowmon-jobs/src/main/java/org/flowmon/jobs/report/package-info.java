/**
 * Reports: what an analysis says of a window, the logic that makes its rows, and what a logic of
 * one's own is written with.
 */
package org.flowmon.jobs.report;
