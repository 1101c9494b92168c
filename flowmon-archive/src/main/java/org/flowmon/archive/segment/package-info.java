/**
 * The description of a segment: its properties after sealing, its times and order, the origin of
 * its rows, and the options of sealing.
 */
package org.flowmon.archive.segment;
