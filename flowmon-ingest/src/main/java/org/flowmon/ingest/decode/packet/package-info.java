/**
 * Reads the headers of a packet, of which an export may hold only the beginning. Start reading at
 * PacketParser; docs/format/exports.md says which headers it knows and which one a flow is of.
 */
@NullMarked
package org.flowmon.ingest.decode.packet;

import org.jspecify.annotations.NullMarked;
