/**
 * Reads rows of segments: finds them in the cheapest way, filters and collects them, and counts the
 * work.
 */
package org.flowmon.archive.query.scan;
