/**
 * The windows' task: merges the parts of each window, revises and closes it, and makes its result.
 */
@NullMarked
package org.flowmon.jobs.window;

import org.jspecify.annotations.NullMarked;
