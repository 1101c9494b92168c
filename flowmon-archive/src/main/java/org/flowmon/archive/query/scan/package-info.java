/**
 * Reads segments: plans the path of each, once it is open, and runs the operators that read and
 * filter rows.
 */
package org.flowmon.archive.query.scan;
