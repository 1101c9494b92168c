/**
 * Records of exports as layouts worked out once: bytes into slots, block by block, and slots into
 * the columns of flows.
 */
package org.flowmon.ingest.decode.record;
