/**
 * Numbers in byte arrays: the one place where they are put together and taken apart, in either byte
 * order, at an offset ({@link org.flowmon.flow.bytes.LittleEndian}, {@link
 * org.flowmon.flow.bytes.BigEndian}) or at the end of a growing array ({@link
 * org.flowmon.flow.bytes.ByteSink}); and their checksum ({@link org.flowmon.flow.bytes.Crc32c}).
 */
@NullMarked
package org.flowmon.flow.bytes;

import org.jspecify.annotations.NullMarked;
