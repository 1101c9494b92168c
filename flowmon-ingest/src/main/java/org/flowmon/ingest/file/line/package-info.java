/**
 * Text files as bytes: where lines and records end, and how texts and times are read from bytes
 * without objects on the way.
 */
package org.flowmon.ingest.file.line;
