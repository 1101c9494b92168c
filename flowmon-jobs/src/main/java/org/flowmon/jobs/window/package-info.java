/**
 * The windows' task: merges the parts of each window, revises and closes it, and makes its result.
 */
package org.flowmon.jobs.window;
