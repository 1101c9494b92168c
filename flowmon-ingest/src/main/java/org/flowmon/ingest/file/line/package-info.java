/**
 * Reads text files as bytes: finds the ends of lines and records and parses texts and times without
 * intermediate objects.
 */
@NullMarked
package org.flowmon.ingest.file.line;

import org.jspecify.annotations.NullMarked;
