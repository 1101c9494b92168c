/**
 * The addresses of several sorted dictionaries combined: their union, ranges of about equal size,
 * and their numbers within one query.
 */
package org.flowmon.archive.query.numbering;
