/**
 * The windows' task: parts of each window put together, revised and closed, and its result made.
 */
package org.flowmon.jobs.window;
