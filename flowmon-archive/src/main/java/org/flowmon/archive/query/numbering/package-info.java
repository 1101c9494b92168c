/**
 * The addresses of several sorted dictionaries combined: their union, ranges of about equal size,
 * and their numbers within one query.
 */
@NullMarked
package org.flowmon.archive.query.numbering;

import org.jspecify.annotations.NullMarked;
