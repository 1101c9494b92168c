/** Files of other programs that are records of bytes: flow-tools, GoFlow2's protobuf. */
@NullMarked
package org.flowmon.ingest.file.binary;

import org.jspecify.annotations.NullMarked;
