/**
 * Turns files that are not text of a record on each line into such text: JSON documents, Azure's
 * flow logs, files that another program reads.
 */
@NullMarked
package org.flowmon.ingest.file.document;

import org.jspecify.annotations.NullMarked;
