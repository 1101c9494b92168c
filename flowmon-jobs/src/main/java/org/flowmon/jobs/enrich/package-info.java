/**
 * Files whose contents are joined to flows when these are read: MaxMind's format and CSV, read
 * within bounds and again when they change.
 */
@NullMarked
package org.flowmon.jobs.enrich;

import org.jspecify.annotations.NullMarked;
