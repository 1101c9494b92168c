/**
 * The records that tasks hand to sinks, with serializers that checkpoints may name, and the choice
 * of reports for a sink.
 */
@NullMarked
package org.flowmon.jobs.sink;

import org.jspecify.annotations.NullMarked;
