/**
 * Groups whose keys are numbers, so that all keys of a row fit one long: when they pay, how rows
 * get into them, and their answer.
 */
package org.flowmon.archive.query.group;
