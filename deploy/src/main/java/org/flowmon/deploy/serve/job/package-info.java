/** Reports, alerts and analyses of a running job, by its Kafka. */
@NullMarked
package org.flowmon.deploy.serve.job;

import org.jspecify.annotations.NullMarked;
