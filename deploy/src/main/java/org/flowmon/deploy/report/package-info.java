/** The output of analyses in Kafka: reports, and alerts until they are resolved. */
@NullMarked
package org.flowmon.deploy.report;

import org.jspecify.annotations.NullMarked;
