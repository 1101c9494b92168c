/** Answers of history queries that are kept, whole or by group, while their segments stay. */
@NullMarked
package org.flowmon.jobs.history.cache;

import org.jspecify.annotations.NullMarked;
