/**
 * Reads sealed segments: values of columns in place or page by page, chosen rows, time keys,
 * verification and footprint.
 */
package org.flowmon.archive.segment.reader;
