/**
 * The high level: merges partial groups of all analyses by key group, keeps their state, and gives
 * the results of windows.
 */
@NullMarked
package org.flowmon.jobs.merge;

import org.jspecify.annotations.NullMarked;
