/** Loggers of classes that short commands load. */
@NullMarked
package org.flowmon.archive.log;

import org.jspecify.annotations.NullMarked;
