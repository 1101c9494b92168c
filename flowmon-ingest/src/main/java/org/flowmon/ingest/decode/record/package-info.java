/**
 * Compiled record layouts: bytes of exports to slots, block by block, and slots to the columns of
 * flows.
 */
@NullMarked
package org.flowmon.ingest.decode.record;

import org.jspecify.annotations.NullMarked;
