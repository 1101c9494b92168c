/** The output of analyses: reports, their exact values, and alerts until they are resolved. */
@NullMarked
package org.flowmon.deploy.report;

import org.jspecify.annotations.NullMarked;
