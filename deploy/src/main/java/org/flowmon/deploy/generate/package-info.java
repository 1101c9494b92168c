/** flowmon generate: traffic of a scenario or a recorded trace, to routers, files and archives. */
@NullMarked
package org.flowmon.deploy.generate;

import org.jspecify.annotations.NullMarked;
