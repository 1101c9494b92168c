/**
 * Opens any file with flows by what it holds: start reading at FlowFiles; docs/format/files.md says
 * what becomes of each field and of what cannot be read.
 */
package org.flowmon.ingest.file;
