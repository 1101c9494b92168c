/**
 * Groups whose keys are numbers, so that all keys of a row fit one long: when they pay, how rows
 * are added, and their answer.
 */
package org.flowmon.archive.query.group;
