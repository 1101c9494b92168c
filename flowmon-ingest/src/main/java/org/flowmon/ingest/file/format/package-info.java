/**
 * Detects a file's format by its content, plain or compressed; maps its names to columns; gives the
 * reasons for rejected lines.
 */
package org.flowmon.ingest.file.format;
