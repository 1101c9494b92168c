/**
 * Reading rows of segments: finds them by the cheapest way, filters, collects, and counts what was
 * read.
 */
package org.flowmon.archive.query.scan;
