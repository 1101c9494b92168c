/** Text that goes on while it is read: a log that is followed, a pipe. */
@NullMarked
package org.flowmon.ingest.file.live;

import org.jspecify.annotations.NullMarked;
