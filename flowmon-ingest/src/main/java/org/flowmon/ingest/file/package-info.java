/**
 * Opens any file with flows by its content. Start reading at FlowFiles; docs/format/files.md
 * specifies how fields are converted and how errors are handled.
 */
@NullMarked
package org.flowmon.ingest.file;

import org.jspecify.annotations.NullMarked;
