/**
 * The high level: partial groups of all analyses merged by key group, its state, and the result of
 * a window that comes of it.
 */
package org.flowmon.jobs.merge;
