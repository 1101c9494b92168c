/**
 * The addresses of several sorted dictionaries as one: their union, ranges of about equal size, and
 * their numbers within one query.
 */
package org.flowmon.archive.query.numbering;
